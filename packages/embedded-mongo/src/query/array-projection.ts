import type { Document } from 'bson';
import { compileFilter } from '../matching/matcher.ts';
import type { MatchContext } from '../values/match-context.ts';
import { type BsonNumber, isNumeric } from '../values/numbers.ts';
import { isDocument, MISSING } from '../values/types.ts';

type Slice = (items: readonly unknown[]) => unknown[];

/** find's `$slice` from its operand: a number, or [skip, limit]. Undefined if the operand has another form. */
export function compileSlice(operand: unknown): Slice | undefined {
  if (isNumeric(operand)) {
    const count = toInt(operand);
    return (items) => (count < 0 ? items.slice(count) : items.slice(0, count));
  }
  if (!Array.isArray(operand) || operand.length !== 2 || !operand.every(isNumeric)) {
    return undefined;
  }
  const [skip, limit] = operand.map(toInt) as [number, number];
  if (limit <= 0) {
    return undefined;
  }
  return (items) => {
    const from = skip < 0 ? Math.max(items.length + skip, 0) : skip;
    return items.slice(from, from + limit);
  };
}

/** A number without its fraction, within the range of an int. */
function toInt(value: BsonNumber): number {
  const whole = Math.trunc(Number(value)) || 0;
  return Math.min(Math.max(whole, -(2 ** 31)), 2 ** 31 - 1);
}

/** A copy with the array at a path sliced. The path goes through the documents of an array, not into inner arrays. */
export function sliceAt(document: Document, parts: readonly string[], slice: Slice): Document {
  const [name = '', ...rest] = parts;
  const value: unknown = document[name];
  const inside = (item: unknown) => (isDocument(item) ? sliceAt(item, rest, slice) : item);
  if (!Object.hasOwn(document, name)) {
    return document;
  }
  if (rest.length === 0) {
    return { ...document, [name]: Array.isArray(value) ? slice(value) : value };
  }
  return { ...document, [name]: Array.isArray(value) ? value.map(inside) : inside(value) };
}

/** find's `$elemMatch`: an array of the first element that matches; MISSING without one. */
export function compileElemMatch(name: string, operand: Document, context: MatchContext) {
  const test = compileFilter({ [name]: { $elemMatch: operand } }, context);
  return (document: Document): unknown => {
    const items: unknown = Object.hasOwn(document, name) ? document[name] : MISSING;
    const found = Array.isArray(items) ? items.findIndex((item) => test({ [name]: [item] })) : -1;
    return found < 0 ? MISSING : [(items as unknown[])[found]];
  };
}
