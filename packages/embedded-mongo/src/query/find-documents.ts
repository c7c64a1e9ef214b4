import type { Document } from 'bson';
import { debug } from '../base/debug.ts';
import { mongoError } from '../base/errors.ts';
import { compileFilter } from '../matching/matcher.ts';
import { Collection, type StoredDocument } from '../storage/collection.ts';
import { Index } from '../storage/index-spec.ts';
import { decode } from '../values/bson-codec.ts';
import type { MatchContext } from '../values/match-context.ts';
import { type Plan, planQuery } from './planner.ts';
import { SortBuffer, Sorter } from './sort.ts';

/** A query: what to find, and in which order. */
export interface QueryOptions extends MatchContext {
  filter: Document;
  sort?: Document | undefined;
  skip?: number | undefined;
  /** 0 or undefined: no limit. */
  limit?: number | undefined;
  /** The index to use; 'natural' for a scan. */
  hint?: Index | 'natural' | undefined;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
  /** Counts what the query reads, for explain. */
  examined?: { keys: number; documents: number };
}

/** A stored document with its decoded form. */
export interface FoundDocument extends StoredDocument {
  document: Document;
}

/**
 * The documents of a query, in its order. A long scan gives `undefined` now and then, so that the caller can let other
 * commands go first.
 * @throws CommandError MaxTimeMSExpired (50) after the deadline
 */
export function* findDocuments(
  collection: Collection,
  options: QueryOptions,
): Generator<FoundDocument | undefined> {
  const { sort = {}, skip = 0, limit = 0, collator } = options;
  const last = limit === 0 ? Infinity : skip + limit;
  const isNatural = '$natural' in sort;
  const plan = planOf(collection, options);
  debug('%s %j: %s', collection.namespace, Object.keys(options.filter), plan.index?.spec.name ?? 'scan');
  const found = matching(collection, plan, options, isNatural && Number(sort.$natural) === -1);
  const sorter = new Sorter(isNatural ? {} : sort, collator);
  const ordered = plan.sorted || isNatural ? found : sortFound(found, sorter, last);
  let position = 0;
  for (const each of ordered) {
    if (each === undefined) {
      yield undefined;
    } else if (++position > skip) {
      yield each;
    }
    if (position >= last) {
      return;
    }
  }
}

/** The plan of a query. */
export function planOf(collection: Collection, { filter, sort = {}, hint, collator }: QueryOptions): Plan {
  // Index keys order strings by their bytes. A collation has another order.
  const useNoIndex = collator !== undefined || '$natural' in sort;
  return planQuery(collection, filter, sort, useNoIndex ? 'natural' : hint);
}

/** In documents. */
const PAUSE_EVERY = 256;

function* matching(collection: Collection, plan: Plan, options: QueryOptions, reverse: boolean) {
  const test = compileFilter(options.filter, options);
  let sincePause = 0;
  for (const { record, raw } of candidates(collection, plan, reverse, options)) {
    count(options, 'documents');
    const document = decode(raw);
    if (test(document)) {
      yield { record, raw, document };
    }
    if (++sincePause < PAUSE_EVERY) {
      continue;
    }
    sincePause = 0;
    checkDeadline(options.deadline);
    yield undefined;
  }
}

function count({ examined }: QueryOptions, what: 'keys' | 'documents'): void {
  if (examined) {
    examined[what]++;
  }
}

/** The documents that may match, each once. */
function* candidates(
  collection: Collection,
  plan: Plan,
  reverse: boolean,
  options: QueryOptions,
): Generator<StoredDocument> {
  const { index } = plan;
  if (!index) {
    return yield* collection.scanDocuments(reverse);
  }
  const seen = index.spec.multikey ? new Set<number>() : undefined;
  for (const range of plan.ranges) {
    for (const record of collection.scanIndex(index, range, plan.reverse)) {
      count(options, 'keys');
      if (seen?.has(record)) {
        continue;
      }
      seen?.add(record);
      const raw = collection.read(record);
      if (raw) {
        yield { record, raw };
      }
    }
  }
}

function* sortFound(found: Iterable<FoundDocument | undefined>, sorter: Sorter, keep: number) {
  const buffer = new SortBuffer<StoredDocument>(sorter, keep);
  for (const each of found) {
    if (each === undefined) {
      yield undefined;
    } else {
      buffer.add({ record: each.record, raw: each.raw }, each.document);
    }
  }
  for (const { record, raw } of buffer.sorted()) {
    yield { record, raw, document: decode(raw) };
  }
}

function checkDeadline(deadline: number | undefined): void {
  if (deadline !== undefined && Date.now() > deadline) {
    throw mongoError('MaxTimeMSExpired', 'operation exceeded time limit');
  }
}
