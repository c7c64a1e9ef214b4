import { BSONRegExp, type Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { splitPath } from '../values/names.ts';
import { someValue } from '../values/path-values.ts';
import { isTrue } from '../values/truth.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { allOf, type CompileContext, isOperatorObject, type Test, unknownOperator } from './leaf-operator.ts';
import { LEAF_OPERATORS } from './leaf-operators.ts';
import { MatchDetails } from './match-details.ts';

/** The path of a condition; undefined within `$elemMatch: { $gt: 1 }`, where the element itself is tested. */
type Path = readonly string[] | undefined;

/** The condition of a filter on one field: operators, a pattern, or a value to equal. */
export function compileField(name: string, condition: unknown, context: CompileContext): Test {
  const path = splitPath(name);
  if (isOperatorObject(condition)) {
    return compileOperators(path, condition, context);
  }
  return compileOperator(path, condition instanceof BSONRegExp ? '$regex' : '$eq', condition, {}, context);
}

/** The conditions in `{ $gt: 1, $lt: 5 }`. */
function compileOperators(path: Path, operators: Document, context: CompileContext): Test {
  const entries = Object.entries(operators).filter(
    ([name]) => name !== '$options' || !('$regex' in operators),
  );
  return allOf(entries.map(([name, operand]) => compileOperator(path, name, operand, operators, context)));
}

function compileOperator(
  path: Path,
  name: string,
  operand: unknown,
  siblings: Document,
  context: CompileContext,
): Test {
  switch (name) {
    case '$not':
      return negate(compileNot(path, operand, context));
    case '$ne':
      if (operand instanceof BSONRegExp) {
        throw mongoError('BadValue', "Can't have regex as arg to $ne.");
      }
      return negate(compileOperator(path, '$eq', operand, siblings, context));
    case '$nin':
      return negate(compileOperator(path, '$in', operand, siblings, context));
    case '$exists': {
      // As any test of a value, it takes the first element of an array for the positional `$`.
      const exists = onPath(path, true, (value) => value !== MISSING);
      return isTrue(operand) ? exists : negate(exists);
    }
    case '$all':
      return compileAll(path, operand, context);
    case '$elemMatch':
      return onPath(path, false, compileElemMatch(operand, context));
    case '$options':
      throw mongoError('BadValue', '$options needs a $regex');
    default: {
      const leaf = lookUp(LEAF_OPERATORS, name);
      if (!leaf) {
        throw unknownOperator(name, `unknown operator: ${name}`);
      }
      return onPath(path, leaf.expandsLast, leaf.compile(operand, siblings, context));
    }
  }
}

/** True if any value that the path reaches passes. */
function onPath(path: Path, expandsLast: boolean, test: Test): Test {
  if (!path) {
    return test;
  }
  return (target, details) =>
    someValue(target, path, expandsLast, (value, position) => {
      if (!details) {
        return test(value);
      }
      const within = new MatchDetails();
      const passes = test(value, within);
      if (passes) {
        details.record(position ?? within.position);
      }
      return passes;
    });
}

function negate(test: Test): Test {
  return (value) => !test(value);
}

function compileNot(path: Path, operand: unknown, context: CompileContext): Test {
  if (operand instanceof BSONRegExp) {
    return compileOperator(path, '$regex', operand, {}, context);
  }
  if (!isDocument(operand)) {
    throw mongoError('BadValue', '$not needs a regex or a document');
  }
  if (Object.keys(operand).length === 0) {
    throw mongoError('BadValue', '$not cannot be empty');
  }
  return compileOperators(path, operand, context);
}

/** `$all` is an `$eq` (or `$elemMatch`) for each item. Without items it matches nothing. */
function compileAll(path: Path, operand: unknown, context: CompileContext): Test {
  if (!Array.isArray(operand)) {
    throw mongoError('BadValue', '$all needs an array');
  }
  const ofElements = isElemMatch(operand[0]);
  const tests = operand.map((item) => {
    if (isElemMatch(item) !== ofElements) {
      throw mongoError('BadValue', '$all/$elemMatch has to be consistent');
    }
    if (isElemMatch(item)) {
      return compileOperator(path, '$elemMatch', item.$elemMatch, {}, context);
    }
    if (isOperatorObject(item)) {
      throw mongoError('BadValue', 'no $ expressions in $all');
    }
    return compileOperator(path, item instanceof BSONRegExp ? '$regex' : '$eq', item, {}, context);
  });
  return tests.length === 0 ? () => false : allOf(tests);
}

function isElemMatch(item: unknown): item is Document {
  return isDocument(item) && Object.keys(item)[0] === '$elemMatch';
}

/** Operators that begin a filter for a document: they choose the object form of `$elemMatch`. So do the fields of a DBRef. */
const FOR_DOCUMENTS = new Set([
  ...['$and', '$or', '$nor', '$expr', '$comment'],
  ...['$where', '$text', '$jsonSchema', '$alwaysTrue', '$alwaysFalse'],
]);

/** An array in an array is a document with the names 0, 1, … for the object form. */
function compileElemMatch(operand: unknown, context: CompileContext): Test {
  if (!isDocument(operand)) {
    throw mongoError('BadValue', '$elemMatch needs an Object');
  }
  const within = { ...context, inElement: true };
  const [first = ''] = Object.keys(operand);
  const isReference = ['$ref', '$id', '$db'].some((name) => name in operand);
  const testsValues = first.startsWith('$') && !isReference && !FOR_DOCUMENTS.has(first);
  const test = testsValues
    ? compileOperators(undefined, operand, within)
    : context.compileFilter(operand, within);
  return (value, details) => {
    const position = Array.isArray(value)
      ? value.findIndex((item) => (testsValues || Array.isArray(item) || isDocument(item)) && test(item))
      : -1;
    if (position >= 0) {
      details?.record(position);
    }
    return position >= 0;
  };
}
