import type { Document } from 'bson';
import { notImplemented } from '../../base/errors.ts';
import { outerName } from '../../values/names.ts';
import { isTrue } from '../../values/truth.ts';
import { isDocument } from '../../values/types.ts';
import { countSteps, partsOfValue } from '../bounds.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler, Variables } from '../evaluate.ts';
import { checkWritableName, variableDefinitions } from '../variable-names.ts';
import { demandType, documentOf, isNullish, parametersOf } from './operands.ts';

/** The operators that define variables, and `$literal`. */
export const VARIABLES: Record<string, OperatorCompiler> = {
  $literal: (operand) => () => operand,
  $let: compileLet,
  $map: compileMap,
  $filter: compileFilter,
  $reduce: compileReduce,
};

function compileLet(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const [vars, body] = parametersOf(documentOf(operand, name, 16874), 16875, [
    ['vars', 16876],
    ['in', 16877],
  ]);
  // Like MongoDB, this reads a list as a document. Its names are positions, so only an empty one is accepted.
  demandType(isDocument(vars) || Array.isArray(vars), 10065, 'expected an object (vars)', vars);
  const values = variableDefinitions(vars).map(
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
  const [input, body, as = 'this'] = parametersOf(documentOf(operand, name, 16878), 16879, [
    ['input', 16880],
    ['in', 16882],
    ['as'],
  ]);
  const list = listOperand(input, context, name, 16883);
  const item = variableName(as);
  const evaluate = context.with([item]).compile(body);
  return (document, variables) => {
    const part = partsOfValue();
    const inner = new Map(variables);
    const results = list(document, variables)?.map((value) => {
      countSteps();
      return part(evaluate(document, inner.set(item, value)) ?? null);
    });
    return results ?? null;
  };
}

function compileFilter(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const [input, cond, as = 'this', limit] = parametersOf(documentOf(operand, name, 28646), 28647, [
    ['input', 28648],
    ['cond', 28650],
    ['as'],
    ['limit'],
  ]);
  const list = listOperand(input, context, name, 28651);
  const item = variableName(as);
  const test = context.with([item]).compile(cond);
  if (limit !== undefined) {
    throw notImplemented('the limit of $filter');
  }
  return (document, variables) => {
    const inner = new Map(variables);
    const found = list(document, variables)?.filter((value) => {
      countSteps();
      return isTrue(test(document, inner.set(item, value)));
    });
    return found ?? null;
  };
}

function compileReduce(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const [input, initialValue, body] = parametersOf(documentOf(operand, name, 40075), 40076, [
    ['input', 40077],
    ['initialValue', 40078],
    ['in', 40079],
  ]);
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
      countSteps();
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
    demandType(Array.isArray(value), code, `the input to ${name} must be an array`, value);
    return value;
  };
}

/** The name of a new variable. MongoDB reads one that is no string as an empty one, which is an error. */
function variableName(name: unknown): string {
  const text = typeof name === 'string' ? name : '';
  checkWritableName(text);
  return text;
}
