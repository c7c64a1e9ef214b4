import { readFileSync } from 'node:fs';
import { type QueryShape, textOf } from './query-shapes.ts';

/** A row of docs/queries.md. */
export interface ListedQuery extends QueryShape {
  /** The names of the indexes, or none if it reads all documents on purpose. */
  indexes: string[];
}

/** The JSON in a cell of the table. */
const jsonIn = (cell: string): string => cell.replaceAll('`', '') || '{}';

/** The queries of docs/queries.md, by their text. */
export function listedQueries(): Map<string, ListedQuery> {
  const rows = readFileSync('docs/queries.md', 'utf8').matchAll(
    /^\| `(\w+)` \| (`.*`) \| (`.*`)? ?\| (.*) \|$/gm,
  );
  const queries = [...rows].map(
    ([, collection = '', filter = '', sort = '', used = '']): ListedQuery => ({
      collection,
      filter: jsonIn(filter),
      sort: jsonIn(sort),
      indexes: [...used.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    }),
  );
  return new Map(queries.map((query) => [textOf(query), query]));
}

/** A row of docs/queries.md for a query, without its index. */
export const rowOf = ({ collection, filter, sort }: QueryShape): string =>
  `| \`${collection}\` | \`${filter}\` | ${sort === '{}' ? '' : `\`${sort}\` `}| ? |`;
