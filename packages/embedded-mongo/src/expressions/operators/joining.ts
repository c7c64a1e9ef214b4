import { locationError } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { partsOfValue } from '../bounds.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { isNullish, operandsOf } from './operands.ts';

/**
 * An operator that joins values of one type. The first null or missing value ends it with null, and what follows is not
 * evaluated.
 */
export function onJoined<T>(
  isFit: (value: unknown) => value is T,
  notFit: number,
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
        if (!isFit(value)) {
          throw locationError(notFit, `${name} does not support a value of type ${bsonTypeName(value)}`);
        }
        values.push(value);
      }
      return join(values);
    };
  };
}
