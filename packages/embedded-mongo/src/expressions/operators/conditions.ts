import { locationError } from '../../base/errors.ts';
import { isTrue } from '../../values/truth.ts';
import { isDocument } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { isNullish, onExactly, operandsOf } from './operands.ts';

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
    if (!Array.isArray(operand) || operand.length < 2) {
      const given = Array.isArray(operand) ? operand.length : 1;
      throw locationError(1257300, `${name} needs at least two arguments, had: ${given}`);
    }
    const items = operandsOf(operand, context);
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
};

function conditional(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const [test, yes, no] = branchesOf(operand, name).map(context.compile) as [Evaluate, Evaluate, Evaluate];
  return (document, variables) => (isTrue(test(document, variables)) ? yes : no)(document, variables);
}

function branchesOf(operand: unknown, name: string): unknown[] {
  if (!isDocument(operand)) {
    const given = Array.isArray(operand) ? operand : [operand];
    if (given.length !== 3) {
      throw locationError(
        16020,
        `Expression ${name} takes exactly 3 arguments. ${given.length} were passed in.`,
      );
    }
    return given;
  }
  const unknown = Object.keys(operand).find((key) => !PARAMETERS_OF_COND.some(([known]) => known === key));
  if (unknown) {
    throw locationError(17083, `Unrecognized parameter to $cond: ${unknown}`);
  }
  return PARAMETERS_OF_COND.map(([key, code]) => {
    if (!(key in operand)) {
      throw locationError(code, `Missing '${key}' parameter to $cond`);
    }
    return operand[key];
  });
}

/** The parameters of $cond's object form, with the errors for their absence. */
const PARAMETERS_OF_COND = [
  ['if', 17080],
  ['then', 17081],
  ['else', 17082],
] as const;
