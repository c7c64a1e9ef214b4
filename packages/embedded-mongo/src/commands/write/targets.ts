import type { Document } from 'bson';
import { SLICE_MILLIS } from '../../base/limits.ts';
import { compileFilter, type Matcher } from '../../matching/matcher.ts';
import {
  checkDeadline,
  FoundDocument,
  findDocuments,
  planOf,
  type QueryOptions,
} from '../../query/find-documents.ts';
import { isCurrent, isLookUp, type Plan } from '../../query/planner.ts';
import type { Collection } from '../../storage/collection.ts';
import { type CommandContext, namespaceOf } from '../support/command.ts';
import { drain } from '../support/drain.ts';
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
 * Writes to all documents of a query, slice by slice, as MongoDB does: others go first in between, each slice is a transaction,
 * and an error leaves what was written before. All are found before the first write: an update that moves a document in an
 * index must not meet it again.
 * @throws what `write` throws; CommandError MaxTimeMSExpired (50)
 */
export async function writeToAll(
  context: CommandContext,
  query: StatementQuery,
  write: (collection: Collection, target: FoundDocument) => void,
): Promise<void> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const found = catalog.find(namespace);
  const records: number[] = [];
  if (found) {
    await drain(context, findDocuments(found, query), ({ record }) => records.push(record));
  }
  let next = 0;
  const writeSlice = () => {
    const end = performance.now() + SLICE_MILLIS;
    while (next < records.length && found && catalog.find(namespace) === found) {
      const target = reread(found, records[next++] as number, query);
      if (target) {
        write(found, target);
      }
      if (performance.now() >= end) {
        return;
      }
    }
    next = records.length;
  };
  while (next < records.length) {
    checkDeadline(query.deadline);
    await store.batches.take(records.length, () => store.write(writeSlice));
  }
}

/** Searches outside of the transaction. After them, other writes are so quick that only a search inside finds a document. */
const MAX_SEARCHES = 3;

/**
 * Calls `write` in a transaction with the document to write to, or without one if none matches.
 * @param upsert makes the collection if there is none
 */
export async function writeToOne<T>(
  context: CommandContext,
  query: StatementQuery,
  upsert: boolean,
  write: (collection: Collection | undefined, target: FoundDocument | undefined) => T,
): Promise<T> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  for (let searches = 1; ; searches += 1) {
    const candidate = await searchOne(context, catalog.find(namespace), query);
    const outcome = await store.write(() => {
      const collection = upsert ? catalog.ensure(namespace) : catalog.find(namespace);
      const target = collection && targetOf(collection, query, candidate);
      // The document has changed since the search. Another one may match.
      const isLost = !target && candidate.record !== undefined;
      if (isLost && searches < MAX_SEARCHES) {
        return undefined;
      }
      // Another update may have upserted the document since the search.
      const isUnsure = isLost || (!target && upsert && candidate.plan === undefined);
      const anew = isUnsure && collection ? firstOf(collection, query) : undefined;
      return { result: write(collection, target ?? anew) };
    });
    if (outcome) {
      return outcome.result;
    }
  }
}

/** What is known before the transaction: the document that matches, or the plan of a search that is quick enough for inside. */
interface Candidate {
  record?: number;
  plan?: Plan;
  collection?: Collection;
}

/** A long search pauses, which one inside of the transaction cannot. */
async function searchOne(
  context: CommandContext,
  collection: Collection | undefined,
  query: StatementQuery,
): Promise<Candidate> {
  if (!collection) {
    return {};
  }
  const plan = planOf(collection, query);
  if (isLookUp(plan)) {
    return { plan, collection };
  }
  const candidate: Candidate = {};
  await drain(context, findDocuments(collection, { ...query, plan }), ({ record }) => {
    candidate.record = record;
  });
  return candidate;
}

/** The document, tested again: the search is older than this transaction. */
function targetOf(
  collection: Collection,
  query: StatementQuery,
  { record, plan, collection: planned }: Candidate,
): FoundDocument | undefined {
  if (record !== undefined) {
    return reread(collection, record, query);
  }
  const isUsable = plan && planned === collection && isCurrent(plan);
  return plan && firstOf(collection, { ...query, plan: isUsable ? plan : undefined });
}

function reread(collection: Collection, record: number, { test }: StatementQuery): FoundDocument | undefined {
  const raw = collection.read(record);
  const found = raw && new FoundDocument(record, raw);
  return found && test(found.document) ? found : undefined;
}

function firstOf(collection: Collection, query: QueryOptions): FoundDocument | undefined {
  for (const found of findDocuments(collection, query)) {
    if (found) {
      return found;
    }
  }
  return undefined;
}
