import type { Document } from 'bson';
import { demand, notImplemented } from '../../base/errors.ts';
import { innerName, outerName } from '../../values/names.ts';
import { isDocument, MISSING } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { demandType, documentOf, isNullish, onElements, onOne, parametersOf } from './operands.ts';

/** The errors are those of src/mongo/db/pipeline/expression.cpp. */
export const OBJECTS: Record<string, OperatorCompiler> = {
  $mergeObjects: onElements((values) =>
    values.reduce<Document>((merged, value) => mergeObjects(merged, value), {}),
  ),
  $objectToArray: onOne(isDocument, 40390, (value) =>
    Object.entries(value).map(([name, v]) => ({ k: outerName(name), v })),
  ),
  $arrayToObject: onOne(Array.isArray, 40386, objectOf),
  $getField: getField,
  $setField: setField,
};

/** One more document in `$mergeObjects`. Null and missing values add nothing; anything else is an error. */
export function mergeObjects(merged: Document, value: unknown, code = 40400): Document {
  if (isNullish(value)) {
    return merged;
  }
  demandType(isDocument(value), code, '$mergeObjects requires object inputs', value);
  return Object.assign(merged, value);
}

/** A document of pairs. The first pair decides how all of them are written: as `[name, value]` or as `{ k, v }`. */
function objectOf(items: unknown[]): Document {
  const [first] = items;
  const isKnown = items.length === 0 || Array.isArray(first) || isDocument(first);
  demandType(isKnown, 40398, 'Unrecognised input type format for $arrayToObject', first);
  const result: Document = {};
  for (const item of items) {
    const [key, value] = Array.isArray(first) ? pairOfArray(item) : pairOfDocument(item);
    result[innerName(key)] = value;
  }
  return result;
}

function pairOfArray(item: unknown): [string, unknown] {
  demandType(Array.isArray(item), 40396, '$arrayToObject requires all pairs to be arrays', item);
  demand(item.length === 2, 40397, '$arrayToObject requires arrays of size 2');
  return [nameOf(item[0], 40395, 4940400), item[1]];
}

function pairOfDocument(item: unknown): [string, unknown] {
  demandType(isDocument(item), 40391, '$arrayToObject requires all pairs to be objects', item);
  demand(Object.keys(item).length === 2, 40392, '$arrayToObject requires objects with two keys');
  demand('k' in item && 'v' in item, 40393, "$arrayToObject requires the keys 'k' and 'v'");
  return [nameOf(item.k, 40394, 4940401), item.v];
}

function nameOf(key: unknown, noString: number, withNull: number): string {
  demandType(typeof key === 'string', noString, '$arrayToObject requires keys of type string', key);
  demand(!key.includes('\0'), withNull, 'Key field cannot contain an embedded null byte');
  return key;
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

function setField(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const [field, input, newValue] = parametersOf(documentOf(operand, name, 4161100), 4161101, [
    ['field', 4161102],
    ['input', 4161109],
    ['value', 4161103],
  ]);
  const key = constantName(field, name);
  const [target, value] = [context.compile(input), context.compile(newValue)];
  return (document, variables) => {
    const fields = target(document, variables);
    if (isNullish(fields)) {
      return null;
    }
    demandType(isDocument(fields), 4161105, `${name} requires 'input' to evaluate to type Object`, fields);
    const { [key]: _, ...rest } = fields;
    const set = value(document, variables);
    return set === MISSING ? rest : { ...fields, [key]: set };
  };
}

/** The inner name of the field that an operator takes: a constant string, which can be in `$literal`. */
function constantName(field: unknown, name: string): string {
  const isLiteral = isDocument(field) && Object.keys(field).join() === '$literal';
  const value = isLiteral ? field.$literal : field;
  if (typeof value !== 'string' || value.includes('\0') || (!isLiteral && value.startsWith('$'))) {
    throw notImplemented(`${name} with a field that is not a constant string`);
  }
  return innerName(value);
}
