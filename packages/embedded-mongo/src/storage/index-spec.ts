import { type Document, ObjectId } from 'bson';
import { compileFilter, type Matcher } from '../matching/matcher.ts';
import { indexedValues } from '../values/indexed-values.ts';
import { encodeIndexKey } from '../values/key-encoding.ts';
import { splitPath } from '../values/names.ts';
import { MISSING } from '../values/types.ts';

export const ID_INDEX_NAME = '_id_';

/** An index as the catalog keeps it. */
export interface IndexSpec {
  id: number;
  name: string;
  key: Record<string, 1 | -1>;
  unique: boolean;
  /** sparse, partialFilterExpression and expireAfterSeconds, in the form of createIndexes. */
  options: Document;
  /** An array was indexed, so a document can have several entries. */
  multikey?: boolean;
  /** A key was too long and was shortened, so the order of the entries is not exact. */
  shortened?: boolean;
}

/** A key of a document in an index, and its values (for E11000's keyValue). */
export interface IndexKey {
  key: Buffer;
  values: readonly unknown[];
}

/** An index: gives the keys of a document. */
export class Index {
  readonly spec: IndexSpec;
  readonly fields: readonly string[];
  readonly directions: readonly number[];
  /** Fills the index with the documents that exist already. Undefined if the index is complete. */
  build: { failure: Error | undefined; leavesOut(record: number): boolean } | undefined;
  /** False until the complete index is committed: other commands do not see all of its entries before. */
  isCommitted = true;
  isDropped = false;
  readonly #partialFilter: Matcher | undefined;
  readonly #paths: readonly (readonly string[])[];

  constructor(spec: IndexSpec) {
    this.spec = spec;
    this.fields = Object.keys(spec.key);
    this.directions = Object.values(spec.key);
    this.#paths = this.fields.map((field) => splitPath(field));
    const partial = spec.options.partialFilterExpression;
    this.#partialFilter = partial ? compileFilter(partial) : undefined;
  }

  get isSparse(): boolean {
    return this.spec.options.sparse === true;
  }

  /** True if two versions of a document have the same keys for sure: no array, and equal values of simple types. */
  keepsKeys(before: Document, after: Document): boolean {
    const isSame = ([name = '', ...rest]: readonly string[]) =>
      rest.length === 0 && isSameSimple(before[name], after[name]);
    return !this.#partialFilter && this.#paths.every(isSame);
  }

  /**
   * The keys of a document, without duplicates; none if a sparse or partial index leaves the document out.
   * It sets `multikey` and `shortened` in the spec, for the planner; `changed` is true if it did.
   */
  keysOf(document: Document): { keys: IndexKey[]; changed: boolean } {
    if (this.#partialFilter && !this.#partialFilter(document)) {
      return { keys: [], changed: false };
    }
    const { keys, multikey } = indexedValues(document, this.#paths);
    let changed = multikey && !this.spec.multikey;
    if (changed) {
      this.spec.multikey = true;
    }
    const unique = new Map<string, IndexKey>();
    for (const values of keys) {
      if (this.isSparse && values.every((value) => value === MISSING)) {
        continue;
      }
      const { key, exact } = encodeIndexKey(values, this.directions);
      if (!exact && !this.spec.shortened) {
        this.spec.shortened = true;
        changed = true;
      }
      unique.set(key.toString('latin1'), { key, values });
    }
    return { keys: [...unique.values()], changed };
  }
}

function isSameSimple(a: unknown, b: unknown): boolean {
  return (
    (a === b && ['string', 'number', 'boolean', 'undefined'].includes(typeof a)) ||
    (a instanceof Date && b instanceof Date && a.getTime() === b.getTime()) ||
    (a instanceof ObjectId && a.equals(b as ObjectId))
  );
}

/** An index in the form of listIndexes. */
export function describeIndex({ key, name, unique, options }: Omit<IndexSpec, 'id'>): Document {
  return { v: 2, key, name, ...(unique && name !== ID_INDEX_NAME && { unique: true }), ...options };
}
