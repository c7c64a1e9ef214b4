import { mongoError, notImplemented } from '../base/errors.ts';

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
