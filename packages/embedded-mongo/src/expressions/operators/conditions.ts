import { isTrue } from '../../values/truth.ts';
import { isDocument } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { check, checkCount, isNullish, onExactly, operandsOf, parametersOf } from './operands.ts';

/** `$and`, `$or`, `$not` and the operators that choose a value. */
export const CONDITIONS: Record<string, OperatorCompiler> = {
  $and: (operand, context) => {
    const items = operandsOf(operand, context);
    return (document, variables) => items.every((item) => isTrue(item(document, variables)));
  },
  $or: (operand, context) => {
    const items = operandsOf(operand, context);
    return (document, variables) => items.some((item) => isTrue(item(document, variables)));
  },
  $not: onExactly(1, ([value]) => !isTrue(value)),
  $ifNull: (operand, context, name) => {
    const items = operandsOf(operand, context);
    check(items.length >= 2, 1257300, `${name} needs at least two arguments, had: ${items.length}`);
    return (document, variables) => {
      let value: unknown;
      for (const item of items) {
        value = item(document, variables);
        if (!isNullish(value)) {
          return value;
        }
      }
      return value;
    };
  },
  $cond: conditional,
  $switch: choice,
};

/** The parameters of `$cond` and of a branch of `$switch`, with the errors for their absence. */
const PARAMETERS_OF_COND = [['if', 17080] as const, ['then', 17081] as const, ['else', 17082] as const];
const PARAMETERS_OF_BRANCH = [['case', 40064] as const, ['then', 40065] as const];

function conditional(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const given = isDocument(operand) ? parametersOf(operand, 17083, PARAMETERS_OF_COND) : operand;
  checkCount(given, 3, name);
  const [test, yes, no] = operandsOf(given, context) as [Evaluate, Evaluate, Evaluate];
  return (document, variables) => (isTrue(test(document, variables)) ? yes : no)(document, variables);
}

/** `$switch`: the first branch whose case is true. */
function choice(operand: unknown, context: ExpressionContext): Evaluate {
  check(isDocument(operand), 40060, '$switch requires an object as an argument', operand);
  const [given, fallback] = parametersOf(operand, 40067, [['branches', 40068], ['default']]);
  check(Array.isArray(given), 40061, "$switch expected an array for 'branches'", given);
  const branches = given.map((branch) => {
    check(isDocument(branch), 40062, '$switch expected each branch to be an object', branch);
    return parametersOf(branch, 40063, PARAMETERS_OF_BRANCH).map(context.compile) as [Evaluate, Evaluate];
  });
  check(branches.length > 0, 40068, '$switch requires at least one branch.');
  const otherwise = 'default' in operand ? context.compile(fallback) : undefined;
  const isPossible = otherwise ?? branches.some(([test]) => !test.isConstant || isTrue(test({}, new Map())));
  check(Boolean(isPossible), 40069, '$switch has only false cases and no default.');
  return (document, variables) => {
    const [, then] = branches.find(([test]) => isTrue(test(document, variables))) ?? [];
    const chosen = then ?? otherwise;
    check(chosen !== undefined, 40066, '$switch could not find a matching branch, and has no default.');
    return chosen(document, variables);
  };
}
