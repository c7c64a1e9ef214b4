import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import type { Options } from './command.ts';

/** How much of a list to print. */
interface Paging {
  limit: number;
  /** What the last line of the page before has said. */
  after: string | undefined;
}

export const PAGING = { usage: '[--limit N] [--after ID]', options: ['limit', 'after'] } as const;

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000_000;

/** @throws UsageError */
export const readPaging = ({ limit, after }: Options): Paging => ({
  limit: limit === undefined ? DEFAULT_LIMIT : readCount('limit', limit, MAX_LIMIT),
  after,
});

/**
 * Reads a whole number from 1.
 * @throws UsageError
 */
export function readCount(option: string, text: string, max: number): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > max) {
    throw new UsageError(`--${option} must be a whole number from 1 to ${max}.`);
  }
  return count;
}

/** Columns with their widths. Entries are printed as they are read, so a longer text shifts the rest of its line. */
export function tableOf(...columns: readonly (readonly [heading: string, characters: number])[]) {
  const row = (...cells: readonly unknown[]): string =>
    cells
      .map((cell, index) => String(cell).padEnd(columns[index]?.[1] ?? 0))
      .join('  ')
      .trimEnd();
  return { heading: row(...columns.map(([heading]) => heading)), row };
}

/** How to print the entries of a list. */
interface ListOutput<T> {
  /** The line above the first entry, for people. */
  heading: string;
  present(entry: T): Line;
  /** What `--after` takes to continue after an entry. */
  placeOf(entry: T): string;
  /** What to say if there are none. */
  ifNone: string;
}

/**
 * Prints the first entries of a list. If there may be more, a last line says how to get them.
 * @param entries read only as far as they are printed
 */
export async function* pageOf<T>(
  entries: AsyncIterable<T> | Iterable<T>,
  { limit }: Paging,
  { heading, present, placeOf, ifNone }: ListOutput<T>,
): AsyncGenerator<Line> {
  let printed = 0;
  for await (const entry of entries) {
    if (printed === 0) {
      yield { text: heading };
    }
    yield present(entry);
    printed += 1;
    if (printed === limit) {
      const next = placeOf(entry);
      yield { text: `There may be more: --after ${next}`, json: { next } };
      return;
    }
  }
  if (printed === 0) {
    yield { text: ifNone };
  }
}
