import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { display } from '../../values/display.ts';
import { innerName, outerName } from '../../values/names.ts';
import { isDocument, MISSING } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { check, isNullish, onElements, onExactly, parametersOf } from './operands.ts';

/** The errors are those of src/mongo/db/pipeline/expression.cpp. */
export const OBJECTS: Record<string, OperatorCompiler> = {
  $mergeObjects: onElements((values) => values.reduce<Document>(mergeObjects, {})),
  $objectToArray: onExactly(1, ([value]) => {
    if (isNullish(value)) {
      return null;
    }
    check(isDocument(value), 40390, '$objectToArray requires a document input', value);
    return Object.entries(value).map(([name, v]) => ({ k: outerName(name), v }));
  }),
  $arrayToObject: onExactly(1, ([value]) => (isNullish(value) ? null : objectOf(value))),
  $getField: getField,
  $setField: (operand, context, name) => setField(operand, context, name, [['value', 4161103]]),
  $unsetField: (operand, context, name) => setField(operand, context, name, []),
};

/** One more document in `$mergeObjects`. Null and missing values add nothing; anything else is an error (40400). */
export function mergeObjects(merged: Document, value: unknown): Document {
  if (isNullish(value)) {
    return merged;
  }
  check(isDocument(value), 40400, '$mergeObjects requires object inputs', value);
  return Object.assign(merged, value);
}

/** A document of pairs. The first pair decides how all of them are written: as `[name, value]` or as `{ k, v }`. */
function objectOf(items: unknown): Document {
  check(Array.isArray(items), 40386, '$arrayToObject requires an array input', items);
  const [first] = items;
  const isKnown = items.length === 0 || Array.isArray(first) || isDocument(first);
  check(isKnown, 40398, 'Unrecognised input type format for $arrayToObject', first);
  const result: Document = {};
  for (const item of items) {
    const [name, value] = Array.isArray(first) ? pairOfArray(item) : pairOfDocument(item);
    result[innerName(name)] = value;
  }
  return result;
}

function pairOfArray(item: unknown): [string, unknown] {
  check(Array.isArray(item), 40396, '$arrayToObject requires all pairs to be arrays', item);
  check(item.length === 2, 40397, '$arrayToObject requires arrays of size 2');
  const [key, value] = item;
  check(typeof key === 'string', 40395, '$arrayToObject requires keys of type string', key);
  check(!key.includes('\0'), 4940400, 'Key field cannot contain an embedded null byte');
  return [key, value];
}

function pairOfDocument(item: unknown): [string, unknown] {
  check(isDocument(item), 40391, '$arrayToObject requires all pairs to be objects', item);
  check(Object.keys(item).length === 2, 40392, '$arrayToObject requires objects with two keys');
  const { k: key, v: value } = item;
  check('k' in item && 'v' in item, 40393, "$arrayToObject requires the keys 'k' and 'v'");
  check(typeof key === 'string', 40394, "$arrayToObject requires 'k' to be of type string", key);
  check(!key.includes('\0'), 4940401, 'Key field cannot contain an embedded null byte');
  return [key, value];
}

function getField(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const isShort = !isDocument(operand) || Object.keys(operand)[0]?.startsWith('$');
  const required = [['field', 3041702] as const, ['input', 3041703] as const];
  const [field, input] = isShort ? [operand, '$$CURRENT'] : parametersOf(operand, 3041701, required);
  const key = constantName(field, name);
  const evaluate = context.compile(input);
  return (document, variables) => {
    const value = evaluate(document, variables);
    return isDocument(value) ? value[key] : value === null ? null : MISSING;
  };
}

function setField(
  operand: unknown,
  context: ExpressionContext,
  name: string,
  more: (readonly [string, number])[],
): Evaluate {
  check(isDocument(operand), 4161100, `${name} only supports an object as its argument`, operand);
  const given = parametersOf(operand, 4161101, [['field', 4161102], ...more, ['input', 4161109]]);
  const key = constantName(given[0], name);
  const input = context.compile(given.at(-1));
  const newValue = context.compile(more.length > 0 ? given[1] : '$$REMOVE');
  return (document, variables) => {
    const target = input(document, variables);
    if (isNullish(target)) {
      return null;
    }
    check(isDocument(target), 4161105, `${name} requires 'input' to evaluate to type Object`, target);
    const { [key]: _, ...rest } = target;
    const value = newValue(document, variables);
    return value === MISSING ? rest : { ...target, [key]: value };
  };
}

/** The inner name of the field that an operator takes: a constant string, which can be in `$literal`. */
function constantName(field: unknown, name: string): string {
  const isLiteral = isDocument(field) && Object.keys(field).join() === '$literal';
  const value = isLiteral ? field.$literal : field;
  if (typeof value !== 'string' || value.includes('\0') || (!isLiteral && value.startsWith('$'))) {
    const what = `${name} with a field that is not a constant string (${display(field)})`;
    throw mongoError('NotImplemented', `${what} is not implemented by the embedded engine`);
  }
  return innerName(value);
}
