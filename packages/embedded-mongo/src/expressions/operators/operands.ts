import type { Document } from 'bson';
import { locationError } from '../../base/errors.ts';
import { outerName } from '../../values/names.ts';
import { bsonTypeName } from '../../values/type-names.ts';

import { isDocument, MISSING } from '../../values/types.ts';

import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';

type Operation = (values: unknown[], context: ExpressionContext) => unknown;

/** An operator on any number of values. */
export function onValues(operation: Operation): OperatorCompiler {
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
export function onElements(operation: Operation): OperatorCompiler {
  return onValues((values, context) =>
    operation(values.length === 1 && Array.isArray(values[0]) ? values[0] : values, context),
  );
}

/** An operator on exactly `count` values (16020). */
export function onExactly(count: number, operation: Operation): OperatorCompiler {
  const compile = onValues(operation);
  return (operand, context, name) => {
    checkCount(operand, count, name);
    return compile(operand, context, name);
  };
}

/** Checks the number of operands. One that is no array is the only one. */
export function checkCount(operand: unknown, count: number, name: string): void {
  const given = Array.isArray(operand) ? operand.length : 1;
  check(given === count, 16020, `Expression ${name} takes exactly ${count} arguments, not ${given}`);
}

/** An operator on `least` to `most` values (28667). */
export function onSome(least: number, most: number, operation: Operation): OperatorCompiler {
  const compile = onValues(operation);
  return (operand, context, name) => {
    const given = Array.isArray(operand) ? operand.length : 1;
    const isRight = given >= least && given <= most;
    check(isRight, 28667, `Expression ${name} takes ${least} to ${most} arguments, not ${given}`);
    return compile(operand, context, name);
  };
}

/** The operand of an operator with named parameters. Any other one than a document is the error `code`. */
export function documentOf(operand: unknown, name: string, code: number): Document {
  if (isDocument(operand)) {
    return operand;
  }
  throw locationError(code, `${name} only supports an object as its argument, not ${bsonTypeName(operand)}`);
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
  check(unknown === undefined, unknownCode, `Unrecognized parameter: ${outerName(unknown ?? '')}`);
  return parameters.map(([name, missingCode]) => {
    const isThere = missingCode === undefined || Object.hasOwn(operand, name);
    check(isThere, missingCode ?? 0, `Missing parameter: ${name}`);
    return operand[name];
  });
}

/** The compiled operands. One that is no array is the only one. */
export function operandsOf(operand: unknown, context: ExpressionContext): Evaluate[] {
  return (Array.isArray(operand) ? operand : [operand]).map(context.compile);
}

/** Throws an error with this code if something does not hold. The type of what was `found` instead is part of the message. */
export function check(holds: boolean, code: number, message: string, found?: unknown): asserts holds {
  if (!holds) {
    throw locationError(code, found === undefined ? message : `${message}, found: ${bsonTypeName(found)}`);
  }
}

/** True for null and for a missing value, which most operators answer with null. */
export function isNullish(value: unknown): value is null | undefined {
  return value === null || value === MISSING;
}
