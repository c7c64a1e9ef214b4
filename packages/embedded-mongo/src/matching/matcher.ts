import { BSONRegExp, type Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { compilePredicate } from '../expressions/expressions.ts';
import type { MatchContext } from '../values/match-context.ts';
import { joinPath, splitPath } from '../values/names.ts';
import { valuesAt } from '../values/path-values.ts';
import { isDocument } from '../values/types.ts';
import { isOperatorObject, type ValueTest } from './leaf-operator.ts';
import { LEAF_OPERATORS } from './leaf-operators.ts';

/** True if a document matches. */
export type Matcher = (document: Document) => boolean;

/**
 * A filter as a function.
 * @throws CommandError BadValue (2) or another error of MongoDB's for a bad filter; NotImplemented (238) for `$where` and
 * other operators that this engine does not have
 */
export function compileFilter(filter: Document, context: MatchContext = {}): Matcher {
  const tests = Object.entries(filter).map(([name, value]) => compileEntry(name, value, context));
  return tests.length === 1 ? (tests[0] as Matcher) : (document) => tests.every((test) => test(document));
}

function compileEntry(name: string, value: unknown, context: MatchContext): Matcher {
  if (name.startsWith('$')) {
    return compileTopLevel(name, value, context);
  }
  const parts = splitPath(name);
  if (!isOperatorObject(value)) {
    return compileLeaf(parts, '$eq', value, {}, context);
  }
  const tests = Object.entries(value)
    .filter(([operator]) => operator !== '$options' || !('$regex' in value))
    .map(([operator, operand]) => compileLeaf(parts, operator, operand, value, context));
  return (document) => tests.every((test) => test(document));
}

function compileTopLevel(name: string, value: unknown, context: MatchContext): Matcher {
  switch (name) {
    case '$and': {
      const tests = clauses(name, value, context);
      return (document) => tests.every((test) => test(document));
    }
    case '$or': {
      const tests = clauses(name, value, context);
      return (document) => tests.some((test) => test(document));
    }
    case '$nor': {
      const tests = clauses(name, value, context);
      return (document) => !tests.some((test) => test(document));
    }
    case '$expr':
      return compilePredicate(value, context);
    case '$comment':
      return () => true;
    case '$where':
    case '$jsonSchema':
      throw mongoError('NotImplemented', `${name} is not implemented by the embedded engine`);
    case '$text':
      throw mongoError('IndexNotFound', 'text index required for $text query');
    default:
      throw mongoError(
        'BadValue',
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function clauses(name: string, value: unknown, context: MatchContext): Matcher[] {
  if (!Array.isArray(value)) {
    throw mongoError('BadValue', `${name} must be an array`);
  }
  if (value.length === 0) {
    throw mongoError('BadValue', '$and/$or/$nor must be a nonempty array');
  }
  return value.map((clause) => {
    if (!isDocument(clause)) {
      throw mongoError('BadValue', '$or/$and/$nor entries need to be full objects');
    }
    return compileFilter(clause, context);
  });
}

/** One operator on one path: true if any value that the path reaches passes. */
function compileLeaf(
  parts: readonly string[],
  operator: string,
  operand: unknown,
  siblings: Document,
  context: MatchContext,
): Matcher {
  if (operator === '$not') {
    return negate(compileNot(parts, operand, context));
  }
  const negated = lookUp(NEGATED, operator);
  if (negated) {
    return negate(compileLeaf(parts, negated, operand, siblings, context));
  }
  if (operator === '$exists' && !operand) {
    return negate(compileLeaf(parts, operator, 1, siblings, context));
  }
  if (operator === '$all') {
    return compileAll(parts, operand, context);
  }
  const leaf = lookUp(LEAF_OPERATORS, operator);
  if (!leaf) {
    throw mongoError('BadValue', `unknown operator: ${operator}`);
  }
  const test: ValueTest = leaf.compile(operand, siblings, { ...context, compileFilter });
  return (document) => {
    for (const value of valuesAt(document, parts, leaf.expandsLast)) {
      if (test(value)) {
        return true;
      }
    }
    return false;
  };
}

const NEGATED: Record<string, string> = { $ne: '$eq', $nin: '$in' };

function negate(test: Matcher): Matcher {
  return (document) => !test(document);
}

function compileNot(parts: readonly string[], operand: unknown, context: MatchContext): Matcher {
  if (operand instanceof BSONRegExp) {
    return compileLeaf(parts, '$regex', operand, {}, context);
  }
  if (!isOperatorObject(operand)) {
    throw mongoError('BadValue', '$not needs a regex or a document');
  }
  return compileEntry(joinPath(parts), operand, context);
}

/** `$all` is an `$eq` (or `$elemMatch`) for each item. Without items it matches nothing. */
function compileAll(parts: readonly string[], operand: unknown, context: MatchContext): Matcher {
  if (!Array.isArray(operand)) {
    throw mongoError('BadValue', '$all needs an array');
  }
  const tests = operand.map((item) =>
    isOperatorObject(item)
      ? compileLeaf(parts, '$elemMatch', item.$elemMatch, {}, context)
      : compileLeaf(parts, '$eq', item, {}, context),
  );
  return (document) => tests.length > 0 && tests.every((test) => test(document));
}
