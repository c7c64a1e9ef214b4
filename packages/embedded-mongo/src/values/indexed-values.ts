import { locationError, mongoError } from '../base/errors.ts';
import { outerName, positionOf } from './names.ts';
import { EMPTY_ARRAY, isDocument, MISSING } from './types.ts';

/** The keys of a document. `multikey`: an array was expanded, so a document may have more than one index entry. */
interface IndexedValues {
  keys: unknown[][];
  multikey: boolean;
}

/** A path on its way through a document: where it is, and what is left of it. */
interface Slot {
  value: unknown;
  rest: readonly string[];
  /** The path is at its end. Otherwise `value` is an array that is still to be expanded. */
  settled: boolean;
}

/**
 * The keys of a document in an index on these paths: one, or one for each element of the array that the paths lead into
 * (a multikey index). Throws CannotIndexParallelArrays (171) if they lead into different arrays, and 16746 if a number in a path
 * is both a position and a name in an array.
 */
export function indexedValues(document: unknown, paths: readonly (readonly string[])[]): IndexedValues {
  const slots = paths.map((rest) => advance({ value: document, rest, settled: false }));
  return { keys: expand(slots), multikey: slots.some((slot) => !slot.settled) };
}

function expand(slots: readonly Slot[]): unknown[][] {
  const ahead = slots.map(advance);
  const waiting = ahead.filter((slot) => !slot.settled);
  const array = waiting[0]?.value;
  if (!Array.isArray(array)) {
    return [ahead.map((slot) => slot.value)];
  }
  if (waiting.some((slot) => slot.value !== array)) {
    throw mongoError('CannotIndexParallelArrays', 'cannot index parallel arrays');
  }
  if (array.length === 0) {
    return [ahead.map(valueWhereEmpty)];
  }
  return array.flatMap((item) => expand(ahead.map((slot) => (slot.settled ? slot : enter(slot, item)))));
}

/** The value of a path that leads to, or through, an empty array. */
function valueWhereEmpty({ settled, value, rest }: Slot): unknown {
  if (settled) {
    return value;
  }
  return rest.length === 0 ? EMPTY_ARRAY : MISSING;
}

/** Goes on with one element of the array. An array in an array stays whole. */
function enter({ rest }: Slot, item: unknown): Slot {
  return { value: item, rest, settled: rest.length === 0 || Array.isArray(item) };
}

/** Follows a path until its end or the next array. */
function advance(slot: Slot): Slot {
  let { value, rest } = slot;
  if (slot.settled) {
    const leadsNowhere = Array.isArray(value) && rest.length > 0;
    return leadsNowhere ? { value: MISSING, rest, settled: true } : slot;
  }
  while (rest.length > 0) {
    const part = rest[0] as string;
    if (Array.isArray(value)) {
      const position = positionOf(part);
      if (position === undefined || position >= value.length) {
        return { value, rest, settled: false };
      }
      if (value.some((item) => isDocument(item) && Object.hasOwn(item, part))) {
        throw locationError(16746, `Ambiguous field name found in array: '${outerName(part)}'`);
      }
      value = value[position];
      if (Array.isArray(value) && rest.length === 1) {
        // An array in an array stays whole.
        return { value, rest: [], settled: true };
      }
    } else if (isDocument(value) && Object.hasOwn(value, part)) {
      value = value[part];
    } else {
      return { value: MISSING, rest: [], settled: true };
    }
    rest = rest.slice(1);
  }
  return { value, rest, settled: !Array.isArray(value) };
}
