import { mongoError } from '../base/errors.ts';
import { EMPTY_ARRAY, isDocument, MISSING } from './values.ts';

const INDEX = /^\d+$/;

/**
 * The values a dotted path reaches in a document, as MongoDB's matcher walks them: through the documents of arrays on
 * the way, by position where a part is a number, and, when `expandLast`, into an array at the end before that array
 * itself. A path that leads nowhere gives MISSING; one that leads into an array without documents gives nothing.
 */
export function* valuesAt(
  root: unknown,
  parts: readonly string[],
  expandLast: boolean,
  from = 0,
): Generator<unknown> {
  if (from === parts.length) {
    if (expandLast && Array.isArray(root)) yield* root;
    yield root;
    return;
  }
  const part = parts[from] as string;
  if (Array.isArray(root)) {
    const index = Number(part);
    if (INDEX.test(part) && index < root.length) yield* valuesAt(root[index], parts, expandLast, from + 1);
    for (const item of root) if (isDocument(item)) yield* valuesAt(item, parts, expandLast, from);
  } else if (isDocument(root) && Object.hasOwn(root, part)) {
    yield* valuesAt(root[part], parts, expandLast, from + 1);
  } else {
    yield MISSING;
  }
}

interface Slot {
  value: unknown;
  rest: readonly string[];
  settled: boolean;
}

/**
 * The keys of a document in an index on these paths: one, or one for each element of the array that the paths lead
 * into (a multikey index). Throws CannotIndexParallelArrays (171) when they lead into different arrays.
 */
export function indexedValues(document: unknown, paths: readonly (readonly string[])[]): IndexedValues {
  const slots = paths.map((rest) => advance({ value: document, rest, settled: false }));
  return { keys: expand(slots), multikey: slots.some((slot) => !slot.settled) };
}

/** `multikey`: an array was expanded, so the index no longer has exactly one entry for each document. */
export interface IndexedValues {
  keys: unknown[][];
  multikey: boolean;
}

function expand(slots: readonly Slot[]): unknown[][] {
  const ahead = slots.map(advance);
  const waiting = ahead.filter((slot) => !slot.settled);
  const array = waiting[0]?.value;
  if (!Array.isArray(array)) return [ahead.map((slot) => slot.value)];
  if (waiting.some((slot) => slot.value !== array)) {
    throw mongoError('CannotIndexParallelArrays', 'cannot index parallel arrays');
  }
  if (array.length === 0) {
    return [
      ahead.map((slot) => (slot.settled ? slot.value : slot.rest.length === 0 ? EMPTY_ARRAY : MISSING)),
    ];
  }
  return array.flatMap((item) =>
    expand(
      ahead.map((slot) =>
        slot.settled ? slot : { value: item, rest: slot.rest, settled: isEnd(item, slot) },
      ),
    ),
  );
}

/** An element is the end of its path when the path ends there, or when it is an array in an array: those stay whole. */
function isEnd(item: unknown, slot: Slot): boolean {
  return slot.rest.length === 0 || Array.isArray(item);
}

/** Follows a path until its end or the next array. */
function advance(slot: Slot): Slot {
  let { value, rest } = slot;
  if (slot.settled)
    return Array.isArray(value) && rest.length > 0 ? { value: MISSING, rest, settled: true } : slot;
  while (rest.length > 0) {
    const part = rest[0] as string;
    if (Array.isArray(value)) {
      if (!INDEX.test(part) || Number(part) >= value.length) return { value, rest, settled: false };
      value = value[Number(part)];
    } else if (isDocument(value) && Object.hasOwn(value, part)) {
      value = value[part];
    } else {
      return { value: MISSING, rest: [], settled: true };
    }
    rest = rest.slice(1);
  }
  return { value, rest, settled: !Array.isArray(value) };
}
