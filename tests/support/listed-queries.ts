import { readFileSync } from 'node:fs';
import type { Document } from 'bson';
import { type QueryShape, textOf } from './query-shapes.ts';

/** A row of docs/queries.md. */
export interface ListedQuery extends QueryShape {
  /** The names of the indexes, or none if it reads all documents on purpose. */
  indexes: string[];
}

const parsed = (cell: string): Document => JSON.parse(cell.replaceAll('`', '') || '{}');

/** The queries of docs/queries.md, by their text. */
export function listedQueries(): Map<string, ListedQuery> {
  const rows = readFileSync('docs/queries.md', 'utf8').matchAll(
    /^\| `(\w+)` \| (`.*`) \| (`.*`)? ?\| (.*) \|$/gm,
  );
  const queries = [...rows].map(
    ([, collection = '', filter = '', sort = '', used = '']): ListedQuery => ({
      collection,
      filter: parsed(filter),
      sort: parsed(sort),
      indexes: [...used.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    }),
  );
  return new Map(queries.map((query) => [textOf(query), query]));
}

/** A row of docs/queries.md for a query, without its index. */
export function rowOf({ collection, filter, sort }: QueryShape): string {
  const order = Object.keys(sort).length > 0 ? `\`${JSON.stringify(sort)}\` ` : '';
  return `| \`${collection}\` | \`${JSON.stringify(filter)}\` | ${order}| ? |`;
}
