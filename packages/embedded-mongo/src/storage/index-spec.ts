import type { Document } from 'bson';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import { encodeIndexKey } from '../values/key-encoding.ts';
import { indexedValues } from '../values/paths.ts';
import { MISSING } from '../values/values.ts';

export const ID_INDEX_NAME = '_id_';

/** An index as the catalog keeps it. */
export interface IndexSpec {
  id: number;
  name: string;
  key: Record<string, 1 | -1>;
  unique: boolean;
  /** sparse, partialFilterExpression, expireAfterSeconds, hidden, as createIndexes gave them. */
  options: Document;
  /** An array was indexed: there can be several entries for a document. */
  multikey?: boolean;
  /** A key was too long and shortened: the order of entries is no longer exact. */
  shortened?: boolean;
}

/** The key a document has in an index, with the values it was made of (for E11000's keyValue). */
export interface IndexKey {
  key: Buffer;
  values: readonly unknown[];
}

/** A secondary index: what entries a document has in it. */
export class Index {
  readonly fields: readonly string[];
  readonly directions: readonly number[];
  readonly partialFilter: Matcher | undefined;
  /** Until its creation is committed, other commands do not see its entries and must not use it. */
  isCommitted = true;
  private readonly paths: readonly (readonly string[])[];

  constructor(readonly spec: IndexSpec) {
    this.fields = Object.keys(spec.key);
    this.directions = Object.values(spec.key);
    this.paths = this.fields.map((field) => field.split('.'));
    const partial = spec.options.partialFilterExpression;
    this.partialFilter = partial ? compileFilter(partial) : undefined;
  }

  get isSparse(): boolean {
    return this.spec.options.sparse === true;
  }

  /**
   * The document's keys, each once; none when a sparse or partial index leaves the document out.
   * Notes in the spec what the planner must know (multikey, shortened); `changed` says whether it did.
   */
  keysOf(document: Document): { keys: IndexKey[]; changed: boolean } {
    if (this.partialFilter && !this.partialFilter(document)) return { keys: [], changed: false };
    const { keys, multikey } = indexedValues(document, this.paths);
    let changed = multikey && !this.spec.multikey;
    if (changed) this.spec.multikey = true;
    const unique = new Map<string, IndexKey>();
    for (const values of keys) {
      if (this.isSparse && values.every((value) => value === MISSING)) continue;
      const { key, exact } = encodeIndexKey(values, this.directions);
      if (!exact && !this.spec.shortened) changed = this.spec.shortened = true;
      unique.set(key.toString('latin1'), { key, values });
    }
    return { keys: [...unique.values()], changed };
  }
}
