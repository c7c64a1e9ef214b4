import { demand } from '../../base/errors.ts';
import { isTrue } from '../../values/truth.ts';
import { isDocument } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { demandType, documentOf, isNullish, onExactly, operandsOf, parametersOf } from './operands.ts';

/** `$and`, `$or`, `$not` and the operators that choose a value. */
export const CONDITIONS: Record<string, OperatorCompiler> = {
  $and: junction('every'),
  $or: junction('some'),
  $not: onExactly(1, ([value]) => !isTrue(value)),
  $ifNull: (operand, context, name) => {
    const items = operandsOf(operand, context);
    demand(items.length >= 2, 1257300, `${name} needs at least two arguments, had: ${items.length}`);
    return (document, variables) =>
      items.reduce<unknown>((value, item) => (isNullish(value) ? item(document, variables) : value), null);
  },
  $cond: conditional,
  $switch: choice,
};

function junction(kind: 'every' | 'some'): OperatorCompiler {
  return (operand, context) => {
    const items = operandsOf(operand, context);
    return (document, variables) => items[kind]((item) => isTrue(item(document, variables)));
  };
}

/** The parameters of `$cond` and of a branch of `$switch`, with the errors for their absence. */
const PARAMETERS_OF_COND = [['if', 17080] as const, ['then', 17081] as const, ['else', 17082] as const];
const PARAMETERS_OF_BRANCH = [['case', 40064] as const, ['then', 40065] as const];

function conditional(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const given = isDocument(operand) ? parametersOf(operand, 17083, PARAMETERS_OF_COND) : operand;
  const items = operandsOf(given, context);
  demand(items.length === 3, 16020, `Expression ${name} takes exactly 3 arguments`);
  const [test, yes, no] = items as [Evaluate, Evaluate, Evaluate];
  return (document, variables) => (isTrue(test(document, variables)) ? yes : no)(document, variables);
}

/** `$switch`: the first branch whose case is true. */
function choice(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const parameters = documentOf(operand, name, 40060);
  const [given, fallback] = parametersOf(parameters, 40067, [['branches', 40068], ['default']]);
  demandType(Array.isArray(given), 40061, "$switch expected an array for 'branches'", given);
  const branches = given.map((branch) => {
    return parametersOf(documentOf(branch, 'A branch of $switch', 40062), 40063, PARAMETERS_OF_BRANCH).map(
      context.compile,
    ) as [Evaluate, Evaluate];
  });
  demand(branches.length > 0, 40068, '$switch requires at least one branch.');
  const otherwise = 'default' in parameters ? context.compile(fallback) : undefined;
  const isPossible = otherwise ?? branches.some(([test]) => !test.isConstant || isTrue(test({}, new Map())));
  demand(Boolean(isPossible), 40069, '$switch has only false cases and no default.');
  return (document, variables) => {
    const [, then] = branches.find(([test]) => isTrue(test(document, variables))) ?? [];
    const chosen = then ?? otherwise;
    demand(chosen !== undefined, 40066, '$switch could not find a matching branch, and has no default.');
    return chosen(document, variables);
  };
}
