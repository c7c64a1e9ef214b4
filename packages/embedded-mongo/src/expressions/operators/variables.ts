import type { Document } from 'bson';
import { locationError, mongoError } from '../../base/errors.ts';
import { display } from '../../values/display.ts';
import { outerName } from '../../values/names.ts';
import { isTrue } from '../../values/truth.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument } from '../../values/types.ts';
import { countStep, partsOfValue } from '../bounds.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler, Variables } from '../evaluate.ts';
import { isNullish } from './operands.ts';
import { type Parameters, parametersOf } from './parameters.ts';
import { int32Of } from './positions.ts';

/** The operators that define variables, and `$literal`. */
export const VARIABLES: Record<string, OperatorCompiler> = {
  $literal: (operand) => () => operand,
  $let: compileLet,
  $map: compileMap,
  $filter: compileFilter,
  $reduce: compileReduce,
};

const LET: Parameters = { notDocument: 16874, unknown: 16875, required: { vars: 16876, in: 16877 } };
const MAP: Parameters = {
  notDocument: 16878,
  unknown: 16879,
  required: { input: 16880, in: 16882 },
  optional: ['as'],
};
const FILTER: Parameters = {
  notDocument: 28646,
  unknown: 28647,
  required: { input: 28648, cond: 28650 },
  optional: ['as', 'limit'],
};
const REDUCE: Parameters = {
  notDocument: 40075,
  unknown: 40076,
  required: { input: 40077, initialValue: 40078, in: 40079 },
};

function compileLet(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const { vars, in: body } = parametersOf(operand, name, LET);
  if (!isDocument(vars)) {
    throw locationError(10065, 'invalid parameter: expected an object (vars)');
  }
  const values = Object.entries(vars).map(
    ([key, expression]) => [variableName(outerName(key)), context.compile(expression)] as const,
  );
  const evaluate = context.with(values.map(([key]) => key)).compile(body);
  return (document, variables) => {
    const part = partsOfValue();
    const inner = new Map(variables);
    for (const [key, value] of values) {
      inner.set(key, part(value(document, variables)));
    }
    return evaluate(document, inner);
  };
}

function compileMap(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const { input, as = 'this', in: body } = parametersOf(operand, name, MAP);
  const list = listOperand(input, context, name, 16883);
  const item = variableName(as);
  const evaluate = context.with([item]).compile(body);
  return (document, variables) => {
    const items = list(document, variables);
    if (!items) {
      return null;
    }
    const part = partsOfValue();
    const inner = new Map(variables);
    return items.map((value) => {
      countStep();
      return part(evaluate(document, inner.set(item, value)) ?? null);
    });
  };
}

function compileFilter(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const { input, as = 'this', cond, limit } = parametersOf(operand, name, FILTER);
  const list = listOperand(input, context, name, 28651);
  const item = variableName(as);
  const test = context.with([item]).compile(cond);
  const most = limit === undefined ? undefined : context.compile(limit);
  return (document, variables) => {
    const items = list(document, variables);
    if (!items || items.length === 0) {
      return items;
    }
    const end = most ? limitOf(most(document, variables)) : Infinity;
    const inner = new Map(variables);
    const found: unknown[] = [];
    for (const value of items) {
      countStep();
      if (isTrue(test(document, inner.set(item, value))) && found.push(value) === end) {
        break;
      }
    }
    return found;
  };
}

/** Null and a missing value are no limit. */
function limitOf(value: unknown): number {
  if (isNullish(value)) {
    return Infinity;
  }
  const limit = int32Of(value, '$filter: limit', 327391, 327391);
  if (limit <= 0) {
    throw locationError(327392, `$filter: limit must be greater than 0: ${limit}`);
  }
  return limit;
}

function compileReduce(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const { input, initialValue, in: body } = parametersOf(operand, name, REDUCE);
  const list = listOperand(input, context, name, 40080);
  const initial = context.compile(initialValue);
  const evaluate = context.with(['this', 'value']).compile(body);
  return (document, variables) => {
    const items = list(document, variables);
    if (!items) {
      return null;
    }
    let value = initial(document, variables);
    const inner = new Map(variables);
    for (const item of items) {
      countStep();
      value = partsOfValue()(evaluate(document, inner.set('this', item).set('value', value)));
    }
    return value;
  };
}

/** Gives an array, or null for null and a missing value. Anything else is the error `code`. */
function listOperand(expression: unknown, context: ExpressionContext, name: string, code: number) {
  const evaluate = context.compile(expression);
  return (document: Document, variables: Variables): readonly unknown[] | null => {
    const value = evaluate(document, variables);
    if (isNullish(value)) {
      return null;
    }
    if (!Array.isArray(value)) {
      throw locationError(code, `input to ${name} must be an array not ${bsonTypeName(value)}`);
    }
    return value;
  };
}

/**
 * The name of a new variable. MongoDB reads one that is no string as an empty one.
 * @throws CommandError FailedToParse (9) if a user may not define it
 */
function variableName(name: unknown): string {
  if (name === 'CURRENT') {
    throw mongoError('NotImplemented', 'a new value of CURRENT is not implemented by the embedded engine');
  }
  if (typeof name === 'string' && USER_VARIABLE.test(name)) {
    return name;
  }
  throw mongoError('FailedToParse', `${display(name)} is not a valid name of a user variable`);
}

const USER_VARIABLE = /^[a-z\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*$/;
