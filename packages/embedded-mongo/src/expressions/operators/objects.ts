import type { Document } from 'bson';
import { locationError, mongoError } from '../../base/errors.ts';
import { display } from '../../values/display.ts';
import { innerName, outerName } from '../../values/names.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument, MISSING } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { isNullish, onElements, onExactly, parametersOf } from './operands.ts';

export const OBJECTS: Record<string, OperatorCompiler> = {
  $mergeObjects: onElements((values) => values.reduce<Document>(mergeObjects, {})),
  $objectToArray: onExactly(1, ([value]) => {
    if (isNullish(value)) {
      return null;
    }
    if (!isDocument(value)) {
      throw locationError(40390, `$objectToArray requires a document input, found: ${bsonTypeName(value)}`);
    }
    return Object.entries(value).map(([name, v]) => ({ k: outerName(name), v }));
  }),
  $arrayToObject: onExactly(1, ([value]) => (isNullish(value) ? null : objectOf(value))),
  $getField: getField,
  $setField: (operand, context, name) => setField(operand, context, name, [['value', 4161103]]),
  $unsetField: (operand, context, name) => setField(operand, context, name, []),
};

/** A document of pairs. The first pair decides how all of them are written: as `[name, value]` or as `{ k, v }`. */
function objectOf(items: unknown): Document {
  if (!Array.isArray(items)) {
    throw locationError(40386, `$arrayToObject requires an array input, found: ${bsonTypeName(items)}`);
  }
  const [first] = items;
  if (items.length > 0 && !Array.isArray(first) && !isDocument(first)) {
    throw locationError(40398, `Unrecognised input type format for $arrayToObject: ${bsonTypeName(first)}`);
  }
  const result: Document = {};
  for (const item of items) {
    const [name, value] = Array.isArray(first) ? pairOfArray(item) : pairOfDocument(item);
    result[innerName(name)] = value;
  }
  return result;
}

function pairOfArray(item: unknown): [string, unknown] {
  if (!Array.isArray(item)) {
    throw locationError(
      40396,
      `$arrayToObject requires only arrays or only objects, found: ${bsonTypeName(item)}`,
    );
  }
  if (item.length !== 2) {
    throw locationError(40397, `$arrayToObject requires arrays of size 2, found: ${item.length}`);
  }
  return [checkKey(item[0], 40395, 4940400), item[1]];
}

function pairOfDocument(item: unknown): [string, unknown] {
  if (!isDocument(item)) {
    throw locationError(
      40391,
      `$arrayToObject requires only arrays or only objects, found: ${bsonTypeName(item)}`,
    );
  }
  const names = Object.keys(item);
  if (names.length !== 2) {
    throw locationError(40392, `$arrayToObject requires the keys k and v, found: ${names.length} keys`);
  }
  if (!('k' in item && 'v' in item)) {
    throw locationError(40393, '$arrayToObject requires the keys k and v');
  }
  return [checkKey(item.k, 40394, 4940401), item.v];
}

function checkKey(key: unknown, typeCode: number, nulCode: number): string {
  if (typeof key !== 'string') {
    throw locationError(typeCode, `$arrayToObject requires keys of type string, found: ${bsonTypeName(key)}`);
  }
  if (key.includes('\0')) {
    throw locationError(nulCode, 'Key field cannot contain an embedded null byte');
  }
  return key;
}

function getField(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const isLong = isDocument(operand) && !Object.keys(operand)[0]?.startsWith('$');
  const [field, input] = isLong
    ? parametersOf(operand, 3041701, [
        ['field', 3041702],
        ['input', 3041703],
      ])
    : [operand, '$$CURRENT'];
  const key = constantName(field, name, {});
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
  if (!isDocument(operand)) {
    throw locationError(4161100, `${name} only supports an object as its argument`);
  }
  const order = [['field', 4161102], ...more, ['input', 4161109]] as const;
  const given = parametersOf(operand, 4161101, order);
  const key = constantName(given[0], name, FIELD_CODES);
  const input = context.compile(given.at(-1));
  const newValue = more.length > 0 ? context.compile(given[1]) : () => MISSING;
  return (document, variables) => {
    const target = input(document, variables);
    if (isNullish(target)) {
      return null;
    }
    if (!isDocument(target)) {
      throw locationError(4161105, `${name} requires 'input' to evaluate to type Object`);
    }
    const { [key]: _, ...rest } = target;
    const value = newValue(document, variables);
    return value === MISSING ? rest : { ...target, [key]: value };
  };
}

/** The codes for a field of `$setField` that is a path, another expression, or no string. */
const FIELD_CODES = { path: 4161108, expression: 4161106, type: 4161107 };

/** The inner name of the field that an operator takes: a constant string, which can be in `$literal`. */
function constantName(field: unknown, name: string, codes: Partial<typeof FIELD_CODES>): string {
  const isLiteral = isDocument(field) && Object.keys(field).join() === '$literal';
  const value = isLiteral ? field.$literal : field;
  const isPath = !isLiteral && typeof field === 'string' && field.startsWith('$');
  const isExpression = !isLiteral && (isDocument(field) || Array.isArray(field));
  const code = isPath ? codes.path : isExpression ? codes.expression : undefined;
  if (code) {
    throw locationError(code, `${name} requires 'field' to be a constant string`);
  }
  if (isPath || isExpression || (typeof value === 'string' && value.includes('\0'))) {
    throw mongoError(
      'NotImplemented',
      `${name} with this 'field' is not implemented by the embedded engine: ${display(field)}`,
    );
  }
  if (typeof value !== 'string') {
    throw locationError(
      codes.type ?? 5654602,
      `${name} requires 'field' to evaluate to type String, not ${bsonTypeName(value)}`,
    );
  }
  return innerName(value);
}

/** One more document in `$mergeObjects` (40400 for anything else). Null and missing values add nothing. */
export function mergeObjects(merged: Document, value: unknown): Document {
  if (isNullish(value)) {
    return merged;
  }
  if (!isDocument(value)) {
    throw locationError(
      40400,
      `$mergeObjects requires object inputs, but input is of type ${bsonTypeName(value)}`,
    );
  }
  return Object.assign(merged, value);
}
