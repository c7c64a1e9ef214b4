import { BSONRegExp, type Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { isOperatorObject } from '../../matching/leaf-operator.ts';
import { compileFilter } from '../../matching/matcher.ts';
import type { IndexSpec } from '../../storage/index-spec.ts';
import { display } from '../../values/display.ts';
import { splitPath } from '../../values/names.ts';
import { isDocument } from '../../values/types.ts';

const KNOWN_OPTIONS = new Set([
  'v',
  'key',
  'name',
  'ns',
  'unique',
  'sparse',
  'partialFilterExpression',
  'expireAfterSeconds',
  'background',
  'hidden',
  'collation',
]);

const PARTIAL_OPERATORS = new Set(['$eq', '$exists', '$gt', '$gte', '$in', '$lt', '$lte', '$type']);

/** MongoDB's limit for one index. */
const MAX_FIELDS = 32;
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
  checkOptionNames(given);
  const { key, name, unique, sparse, partialFilterExpression, expireAfterSeconds, hidden, collation } = given;
  if (typeof name !== 'string' || name === '') {
    throw mongoError('FailedToParse', "The 'name' field is a required property of an index specification");
  }
  if (name === '*') {
    throw mongoError('BadValue', "The index name '*' is not valid.");
  }
  if (collation !== undefined && collation.locale !== 'simple') {
    throw mongoError('NotImplemented', 'an index with a collation is not implemented by the embedded engine');
  }
  const options = {
    ...(sparse && { sparse: true }),
    ...(partialFilterExpression !== undefined && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds: checkTtl(expireAfterSeconds, key) }),
    ...(hidden && { hidden: true }),
  };
  if (sparse && partialFilterExpression) {
    throw mongoError('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  if (partialFilterExpression !== undefined) {
    checkPartialFilter(partialFilterExpression);
  }
  return { name, key: checkKey(key), unique: Boolean(unique), options };
}

function checkOptionNames(given: Document): void {
  const unknown = Object.keys(given).find((name) => !KNOWN_OPTIONS.has(name));
  if (unknown) {
    throw mongoError(
      'InvalidIndexSpecificationOption',
      `The field '${unknown}' is not valid for an index specification. Specification: ${display(given)}`,
    );
  }
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
  if (fields.length === 0) {
    throw mongoError('CannotCreateIndex', 'Index keys cannot be an empty object');
  }
  if (fields.length > MAX_FIELDS) {
    throw mongoError('CannotCreateIndex', `Index key pattern has too many fields (max ${MAX_FIELDS})`);
  }
  return Object.fromEntries(
    fields.map(([field, direction]) => [checkField(field), checkDirection(field, direction)]),
  );
}

function checkField(field: string): string {
  if (field.includes('$**')) {
    throw mongoError('CannotCreateIndex', 'wildcard indexes are not implemented by the embedded engine');
  }
  if (splitPath(field).some((part) => part === '' || part.startsWith('$'))) {
    throw mongoError(
      'CannotCreateIndex',
      `Index keys cannot contain an empty field or one that starts with '$': '${field}'`,
    );
  }
  return field;
}

function checkDirection(field: string, direction: unknown): 1 | -1 {
  if (typeof direction === 'string') {
    throw mongoError(
      'CannotCreateIndex',
      `index type '${direction}' of '${field}' is not implemented by the embedded engine`,
    );
  }
  const number = Number(direction);
  if (!number || typeof direction === 'boolean') {
    throw mongoError(
      'CannotCreateIndex',
      `Values in the index key pattern must be non-zero numbers, not ${display(direction)}`,
    );
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
    throw mongoError(
      error,
      `TTL index 'expireAfterSeconds' option must be within an acceptable range, not ${display(seconds)}`,
    );
  }
  if (Object.keys(key).length > 1) {
    throw mongoError(error, 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  }
  if ('_id' in key) {
    throw mongoError(error, "The field 'expireAfterSeconds' is not valid for an _id index specification");
  }
  return number;
}
