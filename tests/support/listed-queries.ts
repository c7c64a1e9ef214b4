import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type QueryShape, textOf } from './query-shapes.ts';

const FILE = 'tests/support/queries.txt';
/** True if queries that the file lacks are added to it. */
export const IS_WRITING = process.env.WRITE_QUERIES === 'on';

/** A line of queries.txt. */
export interface ListedQuery extends QueryShape {
  /** The names of the indexes, or none if it reads all documents on purpose. `?` if nobody has said yet. */
  indexes: string[];
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => /^\w/.test(line));

function queryOf(line: string): ListedQuery {
  const [collection = '', filter = '', sort = '', used = ''] = line.split(' | ');
  return { collection, filter, sort, indexes: used.startsWith('none: ') ? [] : used.split(', ') };
}

/** The queries of queries.txt, by their text. */
export function listedQueries(): Map<string, ListedQuery> {
  const queries = linesOf(readFileSync(FILE, 'utf8')).map(queryOf);
  return new Map(queries.map((query) => [textOf(query), query]));
}

/** A line of queries.txt for a query. */
export const lineOf = ({ collection, filter, sort }: QueryShape, indexes = ['?']): string =>
  [collection, filter, sort, indexes.join(', ')].join(' | ');

/** Adds lines without an index. Test files do so at the same time. */
export const addQueries = (lines: string[]): void =>
  appendFileSync(FILE, lines.map((line) => `${line}\n`).join(''));

/**
 * Replaces lines without an index, and puts all of them in order.
 * @param planned a line with its index, by the line without
 */
export function writeIndexes(planned: ReadonlyMap<string, string>): void {
  const text = readFileSync(FILE, 'utf8');
  const [head = ''] = text.split(/^\w/m);
  const lines = linesOf(text).map((line) => planned.get(line) ?? line);
  writeFileSync(FILE, `${head}${[...new Set(lines)].sort().join('\n')}\n`);
}
