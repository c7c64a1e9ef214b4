import { createRequire } from 'node:module';
import type { Document } from 'bson';
import type * as MingoCore from 'mingo/core';
import type * as MingoExpressions from 'mingo/operators/expression';
import { typedOperators } from './typed-operators.ts';

/**
 * The operators that are mingo's own. For most inputs they answer as MongoDB does. They differ in corner cases, which the
 * README names under "Known differences".
 */
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

interface Mingo {
  core: typeof MingoCore;
  context: MingoCore.Context;
  /** The names of all operators. */
  known: Set<string>;
}

let mingo: Mingo | undefined;

/**
 * mingo with this engine's operators. It takes 80 ms and 14 MB to load, and a service that only finds and updates never
 * needs it, so the first expression loads it.
 */
export function loadMingo(): Mingo {
  if (mingo) {
    return mingo;
  }
  const require = createRequire(import.meta.url);
  const core: typeof MingoCore = require('mingo/core');
  const all: typeof MingoExpressions = require('mingo/operators/expression');
  const typed = typedOperators(core.evalExpr as never);
  const own = Object.fromEntries(MINGO_OPERATORS.map((name) => [name, all[name as keyof typeof all]]));
  const context = core.Context.init({ expression: { ...own, ...typed, ...withMongoTruth(all) } as never });
  mingo = { core, context, known: new Set([...MINGO_OPERATORS, ...Object.keys(typed)]) };
  return mingo;
}

/** mingo's $filter and $switch with MongoDB's rule for conditions: NumberLong(0) is false. */
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
