import type { Document } from 'bson';
import { mongoError, notImplemented, refuse } from '../base/errors.ts';

/** Variables that MongoDB defines and this engine does not have. */
const REFUSED = new Set(['CLUSTER_TIME', 'USER_ROLES', 'SEARCH_META', 'JS_SCOPE', 'IS_MR']);

/** Checks the name of a variable that an expression reads (src/mongo/db/pipeline/variable_validation.cpp). */
export function checkReadableName(name: string): void {
  checkName(name, /^[a-zA-Z\u{80}-\u{10ffff}]/u);
  if (REFUSED.has(name)) {
    throw notImplemented(`the variable $$${name}`);
  }
}

/** Checks the name of a variable that the client defines. Capitals are for the built-in ones, but CURRENT may change. */
export function checkWritableName(name: string): void {
  if (name !== 'CURRENT') {
    checkName(name, /^[a-z\u{80}-\u{10ffff}]/u);
  }
}

function checkName(name: string, beginning: RegExp): void {
  if (!beginning.test(name) || !/^[a-zA-Z0-9_\u{80}-\u{10ffff}]*$/u.test(name)) {
    throw mongoError('FailedToParse', `'${name}' is empty or has an invalid character for a variable name`);
  }
}

/** Each expression and each document copies the variables that it sees. */
const MAX_VARIABLES = 1000;

/** The variables that a document defines, with their expressions. Throws NotImplemented (238) for more than 1,000. */
export function variableDefinitions(definitions: Document): [name: string, expression: unknown][] {
  const entries = Object.entries(definitions);
  refuse(entries.length > MAX_VARIABLES, `more than ${MAX_VARIABLES} variables`);
  return entries;
}
