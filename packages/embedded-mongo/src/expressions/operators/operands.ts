import type { Document } from 'bson';
import { locationError } from '../../base/errors.ts';
import { outerName } from '../../values/names.ts';
import { MISSING } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';

/** An operator on any number of values. */
export function onValues(
  operation: (values: unknown[], context: ExpressionContext) => unknown,
): OperatorCompiler {
  return (operand, context) => {
    const items = operandsOf(operand, context);
    return (document, variables) =>
      operation(
        items.map((item) => item(document, variables)),
        context,
      );
  };
}

/** An accumulator as an expression: of all its values, or of the elements of its only value if that is an array. */
export function onElements(
  operation: (values: unknown[], context: ExpressionContext) => unknown,
): OperatorCompiler {
  return onValues(([first, ...rest], context) =>
    operation(rest.length === 0 && Array.isArray(first) ? first : [first, ...rest], context),
  );
}

/** An operator on exactly `count` values (16020). */
export function onExactly(
  count: number,
  operation: (values: unknown[], context: ExpressionContext) => unknown,
): OperatorCompiler {
  const compile = onValues(operation);
  return (operand, context, name) => {
    const given = Array.isArray(operand) ? operand.length : 1;
    if (given !== count) {
      throw locationError(
        16020,
        `Expression ${name} takes exactly ${count} arguments. ${given} were passed in.`,
      );
    }
    return compile(operand, context, name);
  };
}

/** An operator on `least` to `most` values (28667). */
export function onSome(
  least: number,
  most: number,
  operation: (values: unknown[], context: ExpressionContext) => unknown,
): OperatorCompiler {
  const compile = onValues(operation);
  return (operand, context, name) => {
    const given = Array.isArray(operand) ? operand.length : 1;
    if (given < least || given > most) {
      throw locationError(
        28667,
        `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${given} were passed in.`,
      );
    }
    return compile(operand, context, name);
  };
}

/**
 * The parameters of an operator in the order of their names here. One with a code may not be absent; another name than these
 * is an error (`unknownCode`).
 */
export function parametersOf(
  operand: Document,
  unknownCode: number,
  parameters: readonly (readonly [name: string, missingCode?: number])[],
): unknown[] {
  const unknown = Object.keys(operand).find((key) => !parameters.some(([name]) => name === key));
  if (unknown !== undefined) {
    throw locationError(unknownCode, `Unrecognized parameter: ${outerName(unknown)}`);
  }
  return parameters.map(([name, missingCode]) => {
    if (missingCode !== undefined && !Object.hasOwn(operand, name)) {
      throw locationError(missingCode, `Missing '${name}' parameter`);
    }
    return operand[name];
  });
}

/** The compiled operands. One that is no array is the only one. */
export function operandsOf(operand: unknown, context: ExpressionContext): Evaluate[] {
  return (Array.isArray(operand) ? operand : [operand]).map(context.compile);
}

/** True for null and for a missing value, which most operators answer with null. */
export function isNullish(value: unknown): value is null | undefined {
  return value === null || value === MISSING;
}
