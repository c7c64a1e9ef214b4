import type { Request } from 'express';
import { STATUS_CODES } from '../../patches/node-http.ts';
import { ForbiddenError, type ServiceError, ValidationError } from '../../system/errors.ts';

/*
 * Problem details (RFC 9457), for callers that make their own texts. They ask for them: the contract's answers have no more
 * members than Laravel's.
 */

export const PROBLEM_TYPE = 'application/problem+json';

/** The type by its name, and not with `q=0`, which refuses it (RFC 9110 section 12.4.2). */
const NAMED = /application\/problem\+json(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** True for a caller that names the type of problem details. `*\/*` does not. */
export const wantsProblem = (req: Request): boolean => NAMED.test(req.get('Accept') ?? '');

/**
 * An error as problem details. The type says nothing beyond the status (`about:blank`); `code` is that of the GraphQL API.
 * @param nameOf how the caller spells a field
 */
export const presentProblem = (error: ServiceError, nameOf: (field: string) => string) => ({
  type: 'about:blank',
  title: STATUS_CODES[error.status] ?? 'Error',
  status: error.status,
  detail: error.message,
  code: error.code,
  ...(error instanceof ForbiddenError && { reason: error.reason }),
  ...(error instanceof ValidationError && { errors: presentRules(error, nameOf) }),
});

/** The broken rules of all fields, in the order of the texts. */
const presentRules = ({ fields }: ValidationError, nameOf: (field: string) => string) =>
  Object.entries(fields).flatMap(([field, rules]) =>
    rules.map(({ text, ...rule }) => ({ field: nameOf(field), ...rule, detail: text })),
  );
