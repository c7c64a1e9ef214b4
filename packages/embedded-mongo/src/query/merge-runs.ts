/** In items. To sort so many, or to merge as many, takes a millisecond or two. */
export const RUN_LENGTH = 1000;

/**
 * Merges sorted runs, two at a time, and cuts off what is above `keep` items. Of equal items, those of the earlier run come first.
 * Each `undefined` is a pause, in which other commands may go first.
 */
export function* mergeRuns<T>(
  runs: readonly T[][],
  compare: (a: T, b: T) => number,
  keep = Infinity,
): Generator<undefined, T[]> {
  let merged = runs;
  while (merged.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < merged.length; i += 2) {
      longer.push(yield* mergeTwo(merged[i] as T[], merged[i + 1] ?? [], compare, keep));
    }
    merged = longer;
  }
  return (merged[0] ?? []).slice(0, keep);
}

function* mergeTwo<T>(
  first: T[],
  second: T[],
  compare: (a: T, b: T) => number,
  keep: number,
): Generator<undefined, T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < first.length && j < second.length && merged.length < keep) {
    const [a, b] = [first[i] as T, second[j] as T];
    const isFirst = compare(a, b) <= 0;
    merged.push(isFirst ? a : b);
    i += Number(isFirst);
    j += Number(!isFirst);
    if (merged.length % RUN_LENGTH === 0) {
      yield;
    }
  }
  return merged.concat(first.slice(i), second.slice(j));
}
