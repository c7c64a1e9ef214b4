import { BSONRegExp, type Document } from 'bson';
import { mongoError, notImplemented } from '../../base/errors.ts';
import { MAX_KEY_FIELDS } from '../../base/limits.ts';
import { isOperatorObject } from '../../matching/leaf-operator.ts';
import { compileFilter } from '../../matching/matcher.ts';
import type { IndexSpec } from '../../storage/index-spec.ts';
import { display } from '../../values/display.ts';
import { splitPath } from '../../values/names.ts';
import { isDocument } from '../../values/types.ts';

const KNOWN_OPTIONS = new Set([
  ...['v', 'key', 'name', 'ns', 'unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds'],
  ...['background', 'hidden', 'collation'],
]);

const PARTIAL_OPERATORS = new Set(['$eq', '$exists', '$gt', '$gte', '$in', '$lt', '$lte', '$type']);

/** MongoDB's limit for expireAfterSeconds. */
const MAX_TTL_SECONDS = 0x7fffffff;

/**
 * Checks one element of `indexes` and gives it in the form of the catalog.
 * @throws CommandError as MongoDB does for a bad specification; NotImplemented or CannotCreateIndex for other kinds of index
 */
export function parseIndexSpec(given: unknown): Omit<IndexSpec, 'id'> {
  if (!isDocument(given) || !isDocument(given.key)) {
    throw mongoError('FailedToParse', "The 'key' field is a required property of an index specification");
  }
  const unknown = Object.keys(given).find((option) => !KNOWN_OPTIONS.has(option));
  if (unknown) {
    throw mongoError('InvalidIndexSpecificationOption', `'${unknown}' is not valid for an index`);
  }
  const { key, name, unique, sparse, partialFilterExpression, expireAfterSeconds, hidden, collation } = given;
  if (typeof name !== 'string' || name === '') {
    throw mongoError('FailedToParse', "The 'name' field is a required property of an index specification");
  }
  if (name === '*') {
    throw mongoError('BadValue', "The index name '*' is not valid.");
  }
  if (hidden || (collation !== undefined && collation.locale !== 'simple')) {
    const what = hidden ? 'a hidden index' : 'an index with a collation';
    throw notImplemented(what);
  }
  const options = {
    ...(sparse && { sparse: true }),
    ...(partialFilterExpression !== undefined && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds: checkTtl(expireAfterSeconds, key) }),
  };
  if (sparse && partialFilterExpression) {
    throw mongoError('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  if (partialFilterExpression !== undefined) {
    checkPartialFilter(partialFilterExpression);
  }
  return { name, key: checkKey(key), unique: Boolean(unique), options };
}

/** The filter of a partial index has fewer operators than a query, in MongoDB too. */
function checkPartialFilter(filter: unknown): void {
  if (!isDocument(filter)) {
    throw mongoError('TypeMismatch', "The field 'partialFilterExpression' must be an object");
  }
  compileFilter(filter);
  for (const [path, condition] of Object.entries(filter)) {
    if (path === '$and' || path === '$or') {
      condition.forEach(checkPartialFilter);
    } else if (path.startsWith('$') || !isPartialCondition(condition)) {
      throw mongoError('CannotCreateIndex', `unsupported expression in partial index: ${display(filter)}`);
    }
  }
}

function isPartialCondition(condition: unknown): boolean {
  return isOperatorObject(condition)
    ? Object.entries(condition).every(
        ([name, operand]) => PARTIAL_OPERATORS.has(name) && (name !== '$exists' || Boolean(operand)),
      )
    : !(condition instanceof BSONRegExp);
}

function checkKey(key: Document): Record<string, 1 | -1> {
  const fields = Object.entries(key);
  if (fields.length === 0 || fields.length > MAX_KEY_FIELDS) {
    throw mongoError('CannotCreateIndex', `Index keys must have 1 to ${MAX_KEY_FIELDS} fields`);
  }
  return Object.fromEntries(fields.map(([field, direction]) => [field, checkField(field, direction)]));
}

function checkField(field: string, direction: unknown): 1 | -1 {
  if (field.includes('$**') || typeof direction === 'string') {
    const what = `an index {${field}: ${display(direction)}}`;
    throw mongoError('CannotCreateIndex', `${what} is not implemented by the embedded engine`);
  }
  const number = Number(direction);
  if (!number || typeof direction === 'boolean') {
    throw mongoError('CannotCreateIndex', `Index keys must be non-zero numbers, not ${display(direction)}`);
  }
  if (splitPath(field).some((part) => part === '' || part.startsWith('$'))) {
    throw mongoError('CannotCreateIndex', `Index keys have no empty names and no names with $: '${field}'`);
  }
  return number > 0 ? 1 : -1;
}

/**
 * Checks `expireAfterSeconds` of an index with this key.
 * @param error the name of its error: collMod has another one than createIndexes
 */
export function checkTtl(
  seconds: unknown,
  key: Document,
  error: 'CannotCreateIndex' | 'InvalidOptions' = 'CannotCreateIndex',
): number {
  const number = Number(seconds);
  if (typeof seconds === 'string' || !(number >= 0 && number <= MAX_TTL_SECONDS)) {
    throw mongoError(error, `'expireAfterSeconds' must be 0 to ${MAX_TTL_SECONDS}, not ${display(seconds)}`);
  }
  if (Object.keys(key).length > 1 || '_id' in key) {
    throw mongoError(error, "'expireAfterSeconds' is only for indexes on one field other than _id");
  }
  return number;
}
