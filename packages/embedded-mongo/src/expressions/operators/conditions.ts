import { locationError } from '../../base/errors.ts';
import { isTrue } from '../../values/truth.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { isNullish, onExactly, operandsOf, parametersOf } from './operands.ts';

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
  $switch: choice,
};

function conditional(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const [test, yes, no] = branchesOf(operand, name).map(context.compile) as [Evaluate, Evaluate, Evaluate];
  return (document, variables) => (isTrue(test(document, variables)) ? yes : no)(document, variables);
}

function branchesOf(operand: unknown, name: string): unknown[] {
  if (isDocument(operand)) {
    return parametersOf(operand, 17083, [
      ['if', 17080],
      ['then', 17081],
      ['else', 17082],
    ]);
  }
  const given = Array.isArray(operand) ? operand : [operand];
  if (given.length !== 3) {
    throw locationError(
      16020,
      `Expression ${name} takes exactly 3 arguments. ${given.length} were passed in.`,
    );
  }
  return given;
}

/** `$switch`: the first branch whose case is true. */
function choice(operand: unknown, context: ExpressionContext): Evaluate {
  if (!isDocument(operand)) {
    throw locationError(40060, `$switch requires an object as an argument, found: ${bsonTypeName(operand)}`);
  }
  const [given, fallback] = parametersOf(operand, 40067, [['branches', 40068], ['default']]);
  if (!Array.isArray(given)) {
    throw locationError(40061, `$switch expected an array for 'branches', found: ${bsonTypeName(given)}`);
  }
  const branches = given.map((branch) => compileBranch(branch, context));
  const otherwise = 'default' in operand ? context.compile(fallback) : undefined;
  if (branches.length === 0) {
    throw locationError(40068, '$switch requires at least one branch.');
  }
  if (!otherwise && branches.every(([test]) => test.isConstant && !isTrue(test({}, new Map())))) {
    throw locationError(40069, '$switch has only false cases and no default.');
  }
  return (document, variables) => {
    const [, then] = branches.find(([test]) => isTrue(test(document, variables))) ?? [];
    const chosen = then ?? otherwise;
    if (!chosen) {
      throw locationError(
        40066,
        '$switch could not find a matching branch for an input, and no default was specified.',
      );
    }
    return chosen(document, variables);
  };
}

function compileBranch(branch: unknown, context: ExpressionContext): [test: Evaluate, then: Evaluate] {
  if (!isDocument(branch)) {
    throw locationError(
      40062,
      `$switch expected each branch to be an object, found: ${bsonTypeName(branch)}`,
    );
  }
  const [test, then] = parametersOf(branch, 40063, [
    ['case', 40064],
    ['then', 40065],
  ]);
  return [context.compile(test), context.compile(then)];
}
