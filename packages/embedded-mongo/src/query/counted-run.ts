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
import type { IndexScan, Plan } from './planner.ts';

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
  /** Counts one key of the scan whose range is being read. */
  #count: (record: number) => void = () => {};

  constructor(collection: Collection, plan: Plan) {
    this.#collection = collection;
    this.#plan = plan;
    this.scans = plan.scans.map(() => ({ keys: 0, found: 0 }));
  }

  /** The documents of the query, as `findDocuments` gives them. */
  find(query: QueryOptions): Generator<FoundDocument | undefined> {
    const matches = compileFilter(query.filter, query);
    const test: Matcher = (document: Document) => {
      const isMatch = matches(document);
      this.matches += Number(isMatch);
      return isMatch;
    };
    const scans = this.#plan.scans.map((scan, i) => ({ ...scan, ranges: this.#noted(scan, i) }));
    // The test passes all that an exact plan finds. It only has to count them.
    const plan = { ...this.#plan, scans, exact: false };
    return findDocuments(this.#collection, { ...query, test, plan }, this);
  }

  *scanDocuments(reverse?: boolean): Generator<StoredDocument> {
    for (const each of this.#collection.scanDocuments(reverse)) {
      this.documents++;
      yield each;
    }
  }

  *scanIndex(index: Index, range: KeyRange, reverse?: boolean): Generator<number> {
    for (const record of this.#collection.scanIndex(index, range, reverse)) {
      this.#count(record);
      yield record;
    }
  }

  /** The ranges of a scan. Each is read as soon as it is given, so its keys belong to this scan. */
  *#noted({ index, ranges }: IndexScan, position: number) {
    const counts = this.scans[position] as ScanCounts;
    const seen = index.spec.multikey ? new Set<number>() : undefined;
    const count = (record: number) => {
      counts.keys++;
      counts.found += seen?.has(record) ? 0 : 1;
      seen?.add(record);
    };
    for (const range of ranges) {
      this.#count = count;
      yield range;
    }
  }

  read(record: number): Buffer | undefined {
    const raw = this.#collection.read(record);
    this.documents += raw ? 1 : 0;
    return raw;
  }
}
