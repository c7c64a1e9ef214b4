import { createRequire } from 'node:module';
import type { Document } from 'bson';
import type * as MingoCore from 'mingo/core';
import type * as MingoExpressions from 'mingo/operators/expression';
import type { AnyObject, Options } from 'mingo/types';
import { CommandError, mongoError } from '../base/errors.ts';
import type { MatchContext } from '../matching/match-operators.ts';
import { isDocument } from '../values/values.ts';
import { isTrue, typedOperators } from './mingo-operators.ts';

/** The operators of mingo's own that give MongoDB's answers on any input they accept. */
const MINGO_OPERATORS = [
  '$arrayElemAt',
  '$arrayToObject',
  '$concat',
  '$concatArrays',
  '$dateToString',
  '$dayOfMonth',
  '$dayOfWeek',
  '$filter',
  '$getField',
  '$setField',
  '$unsetField',
  '$first',
  '$hour',
  '$isArray',
  '$last',
  '$let',
  '$literal',
  '$map',
  '$mergeObjects',
  '$minute',
  '$month',
  '$objectToArray',
  '$range',
  '$reduce',
  '$reverseArray',
  '$second',
  '$size',
  '$slice',
  '$split',
  '$strLenCP',
  '$substrCP',
  '$switch',
  '$toLower',
  '$toUpper',
  '$trim',
  '$year',
] as const;

export type Evaluator = (document: Document, expression: unknown) => unknown;

let mingo: { core: typeof MingoCore; context: MingoCore.Context; known: Set<string> } | undefined;

/**
 * mingo takes 80 ms and 14 MB to load, and a service that only finds and updates never needs it: loaded on first use.
 */
function loadMingo() {
  if (mingo) return mingo;
  const require = createRequire(import.meta.url);
  const core: typeof MingoCore = require('mingo/core');
  const all: typeof MingoExpressions = require('mingo/operators/expression');
  const typed = typedOperators(core.evalExpr as never);
  const own = Object.fromEntries(MINGO_OPERATORS.map((name) => [name, all[name as keyof typeof all]]));
  const context = core.Context.init({ expression: { ...own, ...typed, ...withMongoTruth(all) } as never });
  mingo = { core, context, known: new Set([...MINGO_OPERATORS, ...Object.keys(typed)]) };
  return mingo;
}

/** mingo's $filter and $switch, their conditions judged as MongoDB does: NumberLong(0) is false. */
function withMongoTruth({ $filter, $switch }: typeof MingoExpressions) {
  const judged = (condition: unknown) => ({ $and: [condition] });
  return {
    $filter: (object: unknown, operand: Document, options: never) =>
      $filter(object as never, { ...operand, cond: judged(operand.cond) } as never, options),
    $switch: (object: unknown, operand: Document, options: never) => {
      const branches = operand.branches.map((branch: Document) => ({ ...branch, case: judged(branch.case) }));
      return $switch(object as never, { ...operand, branches } as never, options);
    },
  };
}

/** An evaluator of aggregation expressions; `let` variables come from the context. */
export function evaluator({ variables }: MatchContext = {}): Evaluator {
  const { core, context } = loadMingo();
  const options: Partial<Options> = { context, ...(variables && { variables: variables as AnyObject }) };
  return (document, expression) => {
    try {
      return core.evalExpr(document, expression as never, options as Options);
    } catch (error) {
      throw error instanceof CommandError ? error : mongoError('BadValue', String((error as Error).message));
    }
  };
}

/** Refuses expressions with operators this engine does not have, before any document is looked at. */
export function checkExpression(expression: unknown): void {
  if (Array.isArray(expression)) for (const item of expression) checkExpression(item);
  if (typeof expression === 'string' && /^\$.*\.\d+(\.|$)/.test(expression)) {
    // In MongoDB this is never a position in an array; in mingo it is.
    throw mongoError(
      'NotImplemented',
      `a number in the field path ${expression} is not implemented by the embedded engine`,
    );
  }
  if (!isDocument(expression)) return;
  for (const [name, operand] of Object.entries(expression)) {
    if (name === '$literal') return;
    if (name.startsWith('$') && !loadMingo().known.has(name)) {
      throw mongoError('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
    }
    checkExpression(operand);
  }
}

/** A command's `let`: constant expressions, evaluated once. */
export function letVariables(variables: Document): Document {
  const isPlainValue = (value: unknown) =>
    !isDocument(value) && !Array.isArray(value) && !String(value).startsWith('$');
  if (Object.values(variables).every(isPlainValue)) return variables;
  checkExpression(variables);
  return evaluator()({}, variables) as Document;
}

/** `$expr` as a predicate. */
export function compileExpression(
  expression: unknown,
  context: MatchContext,
): (document: Document) => boolean {
  checkExpression(expression);
  const evaluate = evaluator(context);
  return (document) => isTrue(evaluate(document, expression));
}
