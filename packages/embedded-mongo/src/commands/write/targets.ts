import type { Document } from 'bson';
import { compileFilter, type Matcher } from '../../matching/matcher.ts';
import { FoundDocument, findDocuments, planOf, type QueryOptions } from '../../query/find-documents.ts';
import { isCurrent, type Plan } from '../../query/planner.ts';
import type { Collection } from '../../storage/collection.ts';
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

/** What is known about the documents to write to before the write transaction. */
interface Prescan {
  collection?: Collection | undefined;
  /** An index makes the search quick enough for the transaction. */
  plan?: Plan;
  /** The records that match. */
  records?: number[];
}

/**
 * Plans the search for the documents to write to. Without a fitting index it searches, too: that is a scan, which lets
 * other commands go first; a scan inside the transaction could not.
 */
export async function prescan(
  context: CommandContext,
  collection: Collection | undefined,
  query: QueryOptions,
): Promise<Prescan> {
  if (!collection) {
    return {};
  }
  const plan = planOf(collection, query);
  if (plan.scans.length > 0) {
    return { collection, plan };
  }
  const records: number[] = [];
  context.engine.store.refresh();
  for (const found of findDocuments(collection, { ...query, plan })) {
    if (found) {
      records.push(found.record);
      continue;
    }
    await new Promise((resolve) => setImmediate(resolve));
    context.engine.store.refresh();
  }
  return { records };
}

/**
 * The documents to write to. All records are found before the first write: an update that moves a document in an index
 * must not meet it again. The filter is tested again, because the prescan is older than this transaction.
 */
export function* targetsOf(
  collection: Collection,
  query: StatementQuery,
  { collection: planned, plan: before, records }: Prescan,
): Generator<FoundDocument> {
  const plan = before && planned === collection && isCurrent(before) ? before : undefined;
  const found = () => [...findDocuments(collection, { ...query, plan })].filter((each) => each !== undefined);
  if (!records && query.limit === 1) {
    return yield* found();
  }
  let hasTarget = false;
  for (const record of records ?? found().map((each) => each.record)) {
    const raw = collection.read(record);
    const target = raw && new FoundDocument(record, raw);
    if (target && query.test(target.document)) {
      hasTarget = true;
      yield target;
    }
  }
  // The one document of the prescan has changed since then. Another one may match.
  if (records && !hasTarget && query.limit === 1) {
    yield* targetsOf(collection, query, {});
  }
}
