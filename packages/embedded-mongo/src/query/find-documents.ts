import type { Document } from 'bson';
import { debug } from '../base/debug.ts';
import { mongoError } from '../base/errors.ts';
import { slices } from '../base/slices.ts';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import { Collection, type StoredDocument } from '../storage/collection.ts';
import type { Index } from '../storage/index-spec.ts';
import { decode } from '../values/bson-codec.ts';
import type { MatchContext } from '../values/match-context.ts';
import { isNumeric } from '../values/numbers.ts';
import { type Plan, planQuery } from './planner.ts';
import { SortBuffer, Sorter } from './sort.ts';

/** Where the documents of a plan are read. */
export type DocumentSource = Pick<Collection, 'scanDocuments' | 'scanIndex' | 'read'>;

/** The index to use, or the direction of a scan. */
export type Hint = Index | 1 | -1;

/** A query: what to find, and in which order. */
export interface QueryOptions extends MatchContext {
  filter: Document;
  /** The filter, if it is compiled already. */
  test?: Matcher;
  /** The plan, if there is one already. */
  plan?: Plan | undefined;
  sort?: Document | undefined;
  skip?: number | undefined;
  /** 0 or undefined: no limit. */
  limit?: number | undefined;
  hint?: Hint | undefined;
  /** Milliseconds since the epoch. */
  deadline?: number | undefined;
}

/** A stored document with its decoded form. */
export class FoundDocument implements StoredDocument {
  #document: Document | undefined;

  /** @param document the decoded form, if there is one already */
  constructor(
    readonly record: number,
    readonly raw: Buffer,
    document?: Document,
  ) {
    this.#document = document;
  }

  get document(): Document {
    this.#document ??= decode(this.raw);
    return this.#document;
  }
}

/**
 * The documents of a query, in its order. It gives `undefined` when the slice is over (base/slices.ts), so that the caller can
 * pause.
 * @param source reads from the collection
 * @throws CommandError MaxTimeMSExpired (50) after the deadline
 */
export function* findDocuments(
  collection: Collection,
  options: QueryOptions,
  source: DocumentSource = collection,
): Generator<FoundDocument | undefined> {
  const { sort = {}, skip = 0, limit = 0, collator } = options;
  const last = limit === 0 ? Infinity : skip + limit;
  const isNatural = naturalOf(sort, 'sort') !== undefined;
  const plan = options.plan ?? planOf(collection, options);
  if (debug.enabled) {
    const names = plan.scans.map(({ index }) => index.spec.name).join(', ');
    debug('%s %j: %s', collection.namespace, Object.keys(options.filter), names || 'scan');
  }
  const found = matching(source, plan, options);
  const sorter = new Sorter(isNatural ? {} : sort, collator);
  yield* sliced(plan.sorted ? found : sortFound(found, sorter, last), skip, last);
}

/** The documents from position `first` until before `last`, counted from 0. An `undefined` among them does not count. */
export function* sliced<T>(documents: Iterable<T | undefined>, first: number, last: number) {
  let position = 0;
  for (const each of documents) {
    if (each === undefined) {
      yield undefined;
    } else if (++position > first) {
      yield each;
    }
    if (position >= last) {
      return;
    }
  }
}

/**
 * The plan of a query.
 * @throws CommandError BadValue (2) for a $natural sort with another hint
 */
export function planOf(collection: Collection, { filter, sort = {}, hint, collator }: QueryOptions): Plan {
  const natural = naturalOf(sort, 'sort');
  if (natural && hint && natural !== hint) {
    throw mongoError('BadValue', 'a $natural sort order allows no other hint');
  }
  if (natural || typeof hint === 'number') {
    const isSorted = natural !== undefined || Object.keys(sort).length === 0;
    return { scans: [], reverse: (natural ?? hint) === -1, sorted: isSorted };
  }
  if (!collator) {
    return planQuery(collection, filter, sort, hint);
  }
  // Index keys order strings by their bytes. A collation has another order.
  return { ...planQuery(collection, {}, {}, hint), sorted: Object.keys(sort).length === 0 };
}

/**
 * The direction of a `$natural` sort or hint; undefined if it is another one.
 * @throws CommandError BadValue (2) for a value other than 1 and -1, and for more fields
 */
export function naturalOf(specification: Document, kind: 'sort' | 'hint'): 1 | -1 | undefined {
  if (!('$natural' in specification)) {
    return undefined;
  }
  const value = specification.$natural;
  const direction = isNumeric(value) ? Number(value) : 0;
  if ((direction !== 1 && direction !== -1) || Object.keys(specification).length > 1) {
    throw mongoError('BadValue', `$natural ${kind} cannot be set to a value other than -1 or 1.`);
  }
  return direction;
}

function* matching(source: DocumentSource, plan: Plan, options: QueryOptions) {
  const { test = compileFilter(options.filter, options) } = options;
  for (const found of candidates(source, plan)) {
    if (found && (plan.exact || test(found.document))) {
      yield found;
    }
    if (slices.isOver) {
      checkDeadline(options.deadline);
      yield undefined;
    }
  }
}

/** The documents that may match, each once. `undefined` is the end of a range, or a pause. */
function* candidates(source: DocumentSource, { scans, reverse }: Plan): Generator<FoundDocument | undefined> {
  if (scans.length === 0) {
    for (const { record, raw } of source.scanDocuments(reverse)) {
      yield new FoundDocument(record, raw);
    }
  }
  const seen = scans.length > 1 || scans[0]?.index.spec.multikey ? new Set<number>() : undefined;
  for (const { index, ranges } of scans) {
    for (const range of ranges) {
      for (const record of range ? source.scanIndex(index, range, reverse) : []) {
        const raw = seen?.has(record) ? undefined : source.read(record);
        seen?.add(record);
        yield raw && new FoundDocument(record, raw);
      }
      yield undefined;
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
  for (const each of buffer.sorted()) {
    yield each && new FoundDocument(each.record, each.raw);
  }
}

/** Throws MaxTimeMSExpired (50) after the deadline. */
export function checkDeadline(deadline: number | undefined): void {
  if (deadline !== undefined && Date.now() > deadline) {
    throw mongoError('MaxTimeMSExpired', 'operation exceeded time limit');
  }
}
