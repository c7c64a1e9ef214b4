import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import { compareValues } from '../../values/compare.ts';
import { outerName } from '../../values/names.ts';
import { isNumeric } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument, isInt32, MISSING } from '../../values/types.ts';
import { partsOfValue } from '../bounds.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';

type Operation = (values: unknown[], context: ExpressionContext) => unknown;

/** An operator on `least` to `most` values (28667, or 16020 for an exact number of them). */
export function onValues(operation: Operation, least = 0, most = Infinity): OperatorCompiler {
  return (operand, context, name) => {
    const items = operandsOf(operand, context);
    const isRight = items.length >= least && items.length <= most;
    demand(isRight, least === most ? 16020 : 28667, `${name} does not take ${items.length} arguments`);
    return (document, variables) =>
      operation(
        items.map((item) => item(document, variables)),
        context,
      );
  };
}

/** An operator on exactly `count` values (16020). */
export function onExactly(count: number, operation: Operation): OperatorCompiler {
  return onValues(operation, count, count);
}

/** An accumulator as an expression: of all its values, or of the elements of its only value if that is an array. */
export function onElements(operation: Operation): OperatorCompiler {
  return onValues((values, context) =>
    operation(values.length === 1 && Array.isArray(values[0]) ? values[0] : values, context),
  );
}

/** An operator on one value of a type. It gives null for null and a missing value; another one is the error `code`. */
export function onOne<T>(
  isFit: (value: unknown) => value is T,
  code: number,
  operation: (value: T) => unknown,
): OperatorCompiler {
  return onExactly(1, ([value]) => {
    if (isNullish(value)) {
      return null;
    }
    demandType(isFit(value), code, 'The operand has the wrong type', value);
    return operation(value);
  });
}

/**
 * An operator on all its values, of one type (`code`). The first null or missing value ends it with null, and what follows is
 * not evaluated.
 */
export function onJoined<T>(
  isFit: (value: unknown) => value is T,
  code: number,
  join: (values: readonly T[]) => unknown,
): OperatorCompiler {
  return (operand, context, name) => {
    const items = operandsOf(operand, context);
    return (document, variables) => {
      const part = partsOfValue();
      const values: T[] = [];
      for (const item of items) {
        const value = part(item(document, variables));
        if (isNullish(value)) {
          return null;
        }
        demandType(isFit(value), code, `${name} does not support a value of this type`, value);
        values.push(value);
      }
      return join(values);
    };
  };
}

/** The operand of an operator with named parameters. Any other one than a document is the error `code`. */
export function documentOf(operand: unknown, name: string, code: number): Document {
  demandType(isDocument(operand), code, `${name} only supports an object as its argument`, operand);
  return operand;
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
  demand(unknown === undefined, unknownCode, `Unrecognized parameter: ${outerName(unknown ?? '')}`);
  return parameters.map(([name, missingCode]) => {
    const isThere = missingCode === undefined || Object.hasOwn(operand, name);
    demand(isThere, missingCode ?? 0, `Missing parameter: ${name}`);
    return operand[name];
  });
}

/** The compiled operands. One that is no array is the only one. */
export function operandsOf(operand: unknown, context: ExpressionContext): Evaluate[] {
  return (Array.isArray(operand) ? operand : [operand]).map(context.compile);
}

/** A 32-bit integer of any number type. `codes`: the errors for a value that is no number, and for another number. */
export function int32Of(value: unknown, what: string, codes: readonly [number, number]): number {
  demandType(isNumeric(value), codes[0], `${what} must be a numeric value`, value);
  // The sum turns -0 into 0. The comparison is exact: a Decimal128 has more digits than a double.
  const integer = Number(value) + 0;
  const isExact = isInt32(integer) && compareValues(value, integer) === 0;
  demand(isExact, codes[1], `${what} must be representable as a 32-bit integer`);
  return integer;
}

/** Throws 10065 if an operator without operands has some. */
export function demandNoOperands(operand: unknown, name: string): void {
  const count = Array.isArray(operand) || isDocument(operand) ? Object.keys(operand).length : 1;
  demand(count === 0, 10065, `${name} does not currently accept arguments`);
}

/** Like `demand`, for a value of a wrong type: the message has the type that was `found`. */
export function demandType(holds: boolean, code: number, message: string, found: unknown): asserts holds {
  demand(holds, code, `${message}, found: ${bsonTypeName(found)}`);
}

/** True for null and for a missing value, which most operators answer with null. */
export function isNullish(value: unknown): value is null | undefined {
  return value === null || value === MISSING;
}
