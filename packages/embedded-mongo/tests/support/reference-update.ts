import { type Doc, isNumeric, type Value } from './model.ts';
import { compare, type Reached } from './reference-find.ts';
import { sum } from './reference-results.ts';

/*
 * What MongoDB's manual says of updates, in the fewest lines. Nothing here comes from the engine. An error is thrown as its code:
 * 2 BadValue, 14 TypeMismatch, 28 PathNotViable.
 */

const WHOLE = /^(0|[1-9]\d*)$/;

/** What to do with the value at the path's end. `undefined` leaves the document as it is. */
type Change = (value: Reached) => Reached;

/** Changes the value at a path. A number is a place in an array and a name in a document; what is missing is made, if allowed. */
function changed(value: Value, parts: readonly string[], create: boolean, change: Change): Value {
  const [name, ...rest] = parts as [string, ...string[]];
  if (value instanceof Map) {
    const next = below(value.get(name), rest, create, change);
    return next === undefined ? value : new Map(value).set(name, next);
  }
  if (!Array.isArray(value) || !WHOLE.test(name)) {
    throw 28;
  }
  const next = below(value[Number(name)], rest, create, change);
  if (next === undefined) {
    return value;
  }
  const padded = Array.from(
    { length: Math.max(value.length, Number(name) + 1) },
    (_, at) => value[at] ?? null,
  );
  return padded.with(Number(name), next);
}

function below(value: Reached, rest: readonly string[], create: boolean, change: Change): Reached {
  if (rest.length === 0) {
    return change(value);
  }
  if (value === undefined) {
    return create ? changed(new Map(), rest, create, change) : undefined;
  }
  return changed(value, rest, create, change);
}

function arrayOr(code: number, value: Reached): Value[] {
  if (!Array.isArray(value)) {
    throw code;
  }
  return value;
}

const orMissing =
  (change: (value: Value) => Value): Change =>
  (value) =>
    value === undefined ? undefined : change(value);

/** The operators that change one path: whether they make what is missing, and what they do with the value there. */
const OPERATORS: Record<string, { create: boolean; change: (operand: Value) => Change }> = {
  $set: { create: true, change: (operand) => () => operand },
  $inc: { create: true, change: (operand) => (value) => added(value, operand) },
  $min: { create: true, change: (operand) => (value) => chosen(value, operand, -1) },
  $max: { create: true, change: (operand) => (value) => chosen(value, operand, 1) },
  $push: {
    create: true,
    change:
      (operand) =>
      (value = []) => [...arrayOr(2, value), operand],
  },
  $addToSet: {
    create: true,
    change:
      (operand) =>
      (value = []) =>
        united(arrayOr(2, value), operand),
  },
  $pull: {
    create: false,
    change: (operand) =>
      orMissing((value) => arrayOr(2, value).filter((element) => compare(element, operand) !== 0)),
  },
  $pop: {
    create: false,
    change: (operand) =>
      orMissing((value) =>
        String(operand) === '-1' ? arrayOr(14, value).slice(1) : arrayOr(14, value).slice(0, -1),
      ),
  },
};

function added(value: Reached, operand: Value): Value {
  if (value === undefined) {
    return operand;
  }
  if (!isNumeric(value) || !isNumeric(operand)) {
    throw 14;
  }
  return sum([value, operand]);
}

function chosen(value: Reached, operand: Value, direction: number): Value {
  return value === undefined || compare(operand, value) * direction > 0 ? operand : value;
}

function united(array: Value[], operand: Value): Value[] {
  return array.some((element) => compare(element, operand) === 0) ? array : [...array, operand];
}

/** A document without the field at a path. In an array the element becomes null; an unreachable path changes nothing. */
export function unset(value: Value, [name, ...rest]: readonly string[]): Value {
  if (value instanceof Map && value.has(name as string)) {
    const copy = new Map(value);
    if (rest.length === 0) {
      copy.delete(name as string);
    } else {
      copy.set(name as string, unset(value.get(name as string) as Value, rest));
    }
    return copy;
  }
  if (Array.isArray(value) && WHOLE.test(name as string) && Number(name) < value.length) {
    return value.with(Number(name), rest.length === 0 ? null : unset(value[Number(name)] as Value, rest));
  }
  return value;
}

/** The document after `{[operator]: {[path]: operand}}`, or the code of the error. */
export function updated(document: Doc, operator: string, path: string, operand: Value): Doc | number {
  const parts = path.split('.');
  try {
    if (operator === '$unset') {
      return unset(document, parts) as Doc;
    }
    const { create, change } = OPERATORS[operator] as (typeof OPERATORS)[string];
    return changed(document, parts, create, change(operand)) as Doc;
  } catch (code) {
    return code as number;
  }
}

/** The document after a `$rename`. Neither path may go through an array. */
export function renamed(document: Doc, from: string, to: string): Doc {
  const value = from
    .split('.')
    .reduce<Reached>((at, name) => (at instanceof Map ? at.get(name) : undefined), document);
  return value === undefined
    ? document
    : (unset(updated(document, '$set', to, value) as Doc, from.split('.')) as Doc);
}
