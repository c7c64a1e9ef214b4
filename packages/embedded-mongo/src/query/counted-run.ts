import type { Document } from 'bson';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import type { Collection, StoredDocument } from '../storage/collection.ts';
import type { Index } from '../storage/index-spec.ts';
import type { KeyRange } from '../storage/scan.ts';
import {
  type DocumentSource,
  type FoundDocument,
  findDocuments,
  type QueryOptions,
} from './find-documents.ts';
import type { Plan } from './planner.ts';

/** What one scan of an index has examined, and how many documents it has found, each counted once. */
interface ScanCounts {
  keys: number;
  found: number;
}

/** A run of a plan that counts what it examines, for explain. Ordinary finds count nothing. */
export class CountedRun implements DocumentSource {
  /** The documents that were read. */
  documents = 0;
  /** Those of them that match the filter. */
  matches = 0;
  /** In the order of the plan. */
  readonly scans: ScanCounts[];
  readonly #collection: Collection;
  readonly #plan: Plan;
  readonly #scanOf = new Map<KeyRange, ScanCounts & { records: Set<number> | undefined }>();

  constructor(collection: Collection, plan: Plan) {
    this.#collection = collection;
    this.#plan = plan;
    this.scans = plan.scans.map(({ index, ranges }) => {
      const counts = { keys: 0, found: 0, records: index.spec.multikey ? new Set<number>() : undefined };
      for (const range of ranges) {
        this.#scanOf.set(range, counts);
      }
      return counts;
    });
  }

  /** The documents of the query, as `findDocuments` gives them. */
  find(query: QueryOptions): Generator<FoundDocument | undefined> {
    const matches = compileFilter(query.filter, query);
    const test: Matcher = (document: Document) => {
      const isMatch = matches(document);
      this.matches += Number(isMatch);
      return isMatch;
    };
    // The test passes all that an exact plan finds. It only has to count them.
    const plan = { ...this.#plan, exact: false };
    return findDocuments(this.#collection, { ...query, test, plan }, this);
  }

  *scanDocuments(reverse?: boolean): Generator<StoredDocument> {
    for (const each of this.#collection.scanDocuments(reverse)) {
      this.documents++;
      yield each;
    }
  }

  *scanIndex(index: Index, range: KeyRange, reverse?: boolean): Generator<number> {
    const counts = this.#scanOf.get(range);
    for (const record of this.#collection.scanIndex(index, range, reverse)) {
      if (counts) {
        counts.keys++;
        counts.found += counts.records?.has(record) ? 0 : 1;
        counts.records?.add(record);
      }
      yield record;
    }
  }

  read(record: number): Buffer | undefined {
    const raw = this.#collection.read(record);
    this.documents += raw ? 1 : 0;
    return raw;
  }
}
