import { HeaderMap, type HTTPGraphQLHead } from '@apollo/server';
import type { Request, RequestHandler, Response } from 'express';
import { type ExecutionResult, execute, type GraphQLSchema, getOperationAST } from 'graphql';
import { createContext } from '../context.ts';
import type { FormatError } from '../error-formatter.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Resolved } from '../hooks/request-stages.ts';
import { usualResponseType } from '../response-type.ts';
import type { ParsedDocuments } from './parsed-documents.ts';
import { isLong, sendInTurns } from './send-in-turns.ts';

interface PreparedParts {
  schema: GraphQLSchema;
  documents: ParsedDocuments;
  hooks: Hooks;
  format: FormatError;
}

/** Apollo's CSRF prevention lets it pass, because browsers send it to another site only after a preflight. */
const USUAL_CONTENT_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/**
 * Answers what clients send most: a POST of JSON whose document is known to be valid. Apollo Server would find nothing to do
 * but its execution, and take longer for that than the execution takes. The answers are the same, byte for byte.
 *
 * All other requests are passed on to Apollo Server, as long as nothing has been executed: also those whose variables or
 * operation name do not fit, so that there is only one place that words such errors.
 */
export const preparedWay =
  (parts: PreparedParts): RequestHandler =>
  async (req, res, next) => {
    const isUsual = req.method === 'POST' && USUAL_CONTENT_TYPE.test(req.headers['content-type'] ?? '');
    const type = isUsual ? usualResponseType(req) : undefined;
    const context = type && resolve(req, parts);
    if (!type || !context || parts.hooks.check(context)) {
      return next();
    }
    const { schema, document, contextValue, request } = context;
    const { variables: variableValues, operationName } = request;
    const call = { schema, document, contextValue, variableValues, operationName };
    // The text about a variable is Apollo Server's, so graphql-js need not look for similar names.
    const result = await execute({ ...call, hideSuggestions: true });
    // A variable does not fit its type, so no resolver has been called.
    if (!('data' in result)) {
      return next();
    }
    await send(res, type, answer(result, context, parts));
  };

/** @returns undefined if the request is not a usual one, or its operation is not known to be valid */
function resolve(req: Request, { schema, documents }: PreparedParts): Resolved | undefined {
  const { query, operationName, variables, extensions } = (req.body ?? {}) as Record<string, unknown>;
  const isUsual = isTextOrMissing(operationName) && isObjectOrMissing(variables) && extensions === undefined;
  const document = isUsual && typeof query === 'string' ? documents.findValid(query) : undefined;
  const operation = document && getOperationAST(document, operationName as string | null | undefined);
  if (!document || !operation) {
    return undefined;
  }
  const contextValue = createContext(req);
  const request = { query, operationName, variables } as Resolved['request'];
  return { request, contextValue, schema, document, operation, operationName: operation.name?.value ?? null };
}

const isTextOrMissing = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string';

const isObjectOrMissing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value));

interface Answer {
  status: number;
  headers: Iterable<[string, string]>;
  result: object;
}

function answer({ data = null, errors }: ExecutionResult, context: Resolved, parts: PreparedParts): Answer {
  if (!errors) {
    return { status: 200, headers: [], result: { data } };
  }
  const { contextValue } = context;
  parts.hooks.log(errors, contextValue);
  const formatted = errors.map((error) => parts.format(error.toJSON(), error));
  const http: HTTPGraphQLHead = { headers: new HeaderMap() };
  const body = { kind: 'single', singleResult: { data } } as const;
  parts.hooks.answer({ contextValue, errors, response: { http, body } });
  return { status: http.status ?? 200, headers: http.headers, result: { errors: formatted, data } };
}

/** Sends the result as Apollo Server writes it: with a line break. */
async function send(res: Response, type: string, { status, headers, result }: Answer): Promise<void> {
  const text = `${JSON.stringify(result)}\n`;
  res.statusCode = status;
  for (const [name, value] of headers) {
    res.setHeader(name, value);
  }
  res.setHeader('Content-Type', type);
  if (isLong(text)) {
    return sendInTurns(res, text);
  }
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
