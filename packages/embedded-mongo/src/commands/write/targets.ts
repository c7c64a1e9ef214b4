import type { Document } from 'bson';
import { compileFilter, type Matcher } from '../../matching/matcher.ts';
import { type FoundDocument, findDocuments, planOf, type QueryOptions } from '../../query/find-documents.ts';
import type { Collection } from '../../storage/collection.ts';
import { decode } from '../../values/bson-codec.ts';
import { type CommandContext, namespaceOf } from '../support/command.ts';
import { documentField } from '../support/fields.ts';
import { deadlineOf, hintOf, matchContextOf } from '../support/query-options.ts';

/** A query with its compiled filter. */
type StatementQuery = QueryOptions & { test: Matcher };

/** The query of one statement of an update or delete command. An error in its filter shows even without a collection. */
export function statementQuery(context: CommandContext, statement: Document, multi: boolean): StatementQuery {
  const filter: Document = statement.q;
  const matchContext = matchContextOf(context.command, statement);
  return {
    ...matchContext,
    filter,
    test: compileFilter(filter, matchContext),
    sort: documentField(statement, 'sort'),
    limit: multi ? 0 : 1,
    hint: hintOf(statement, context.engine.catalog.find(namespaceOf(context))),
    deadline: deadlineOf(context.command),
  };
}

/**
 * The records that match, found before the write transaction. Without a fitting index this is a scan, which lets other
 * commands go first; a scan inside the transaction could not. Undefined if an index makes the search quick enough for
 * the transaction.
 */
export async function prescan(
  context: CommandContext,
  collection: Collection | undefined,
  query: QueryOptions,
): Promise<number[] | undefined> {
  if (!collection || planOf(collection, query).index) {
    return undefined;
  }
  const records: number[] = [];
  context.engine.store.refresh();
  for (const found of findDocuments(collection, query)) {
    if (found) {
      records.push(found.record);
      continue;
    }
    await new Promise((resolve) => setImmediate(resolve));
    context.engine.store.refresh();
  }
  return records;
}

/**
 * The documents to write to. All records are found before the first write: an update that moves a document in an index
 * must not meet it again. The filter is tested again, because `candidates` are older than this transaction.
 */
export function* targetsOf(
  collection: Collection,
  query: StatementQuery,
  candidates: readonly number[] | undefined,
): Generator<FoundDocument> {
  const found = () => [...findDocuments(collection, query)].filter((each) => each !== undefined);
  if (!candidates && query.limit === 1) {
    return yield* found();
  }
  let hasTarget = false;
  for (const record of candidates ?? found().map((each) => each.record)) {
    const raw = collection.read(record);
    const document = raw && decode(raw);
    if (document && query.test(document)) {
      hasTarget = true;
      yield { record, raw, document };
    }
  }
  // The one document of the prescan has changed since then. Another one may match.
  if (candidates && !hasTarget && query.limit === 1) {
    yield* targetsOf(collection, query, undefined);
  }
}
