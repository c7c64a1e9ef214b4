import { isDeepStrictEqual } from 'node:util';
import { mongo } from 'mongoose';
import { DUPLICATE_KEY, isDatabaseFull } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { type Definition, inPages, Store } from './store.ts';

/** A record as it was read, and as it is to be. Both have the same id. */
export interface Replacement<T> {
  before: T;
  after: T;
}

type Fields = Record<string, unknown>;
type Stored = Fields & { _id: string };

/** Reads and writes many whole records of one collection at a time, for the move from and to a legacy service. */
export class BulkRecords<T extends { _id: string }> extends Store<Stored> {
  /**
   * @param compared the fields by which a changed record is noticed, besides those that are to be changed
   * @param derived computes fields from the rest of a record; undefined removes a field
   */
  constructor(
    database: LimitedConnection,
    definition: Definition,
    private readonly compared: readonly string[],
    private readonly derived: (record: object) => object = () => ({}),
  ) {
    super(database, definition);
  }

  /** The records with these ids, by their ids. */
  async byIds(ids: readonly string[]): Promise<Map<string, T>> {
    const found = await this.byValues('_id', ids);
    return new Map(found.map((record) => [record._id, record]));
  }

  /**
   * The records that have one of these values in a field.
   * @param field one with an index
   */
  async byValues(field: string, values: readonly string[]): Promise<T[]> {
    return values.length === 0 ? [] : this.#found({ [field]: { $in: [...values] } });
  }

  /** The next records in the order of their ids. @param id that of the last one before; an empty text at the beginning */
  after(id: string, limit: number): Promise<T[]> {
    return this.#found({ _id: { $gt: id } }, { sort: { _id: 1 }, limit });
  }

  /** The same as {@link after}, but only the ids, which costs far less. */
  async idsAfter(id: string, limit: number): Promise<string[]> {
    const options = { sort: { _id: 1 }, limit, projection: { _id: 1 } } as const;
    return (await this.#found({ _id: { $gt: id } }, options)).map(({ _id }) => _id);
  }

  /**
   * Inserts records. One that is refused does not stop the others.
   * @returns the places in the list of those with an id or a unique value that another record has
   * @throws Error without values of the records, if the database has refused any of them for another reason
   */
  async insertMany(records: readonly T[]): Promise<number[]> {
    if (records.length === 0) {
      return [];
    }
    const documents = records.map((record) => ({ ...record, ...this.derived(record) }) as object as Stored);
    const inserted = this.records.collection.insertMany(documents, { ordered: false, ignoreUndefined: true });
    return this.records.within(inserted).then(() => [], duplicatesIn);
  }

  /**
   * Writes the fields in which two records differ, unless one of these or of the compared fields was changed since they were read.
   * The other fields stay as they are then.
   * @returns the ids of those that were not changed: somebody else has changed them, or another record has a unique value of theirs
   * @throws Error without values of the records
   */
  async replaceIfUnchanged(given: readonly Replacement<T>[]): Promise<Set<string>> {
    const replacements = given.map(({ before, after }) => ({
      before,
      after: { ...after, ...this.derived(after) },
    }));
    const wanted = replacements.map(({ before, after }) => changeOf(fieldsOf(before), fieldsOf(after)));
    const operations = wanted.flatMap(({ changed, update }, index) =>
      changed.length === 0
        ? []
        : [{ updateOne: { filter: this.#unchanged(replacements[index]?.before, changed), update } }],
    );
    if (await this.#writeAll(operations)) {
      return new Set();
    }
    const stored = await this.byIds(replacements.map(({ before }) => before._id));
    const isDone = ({ after }: Replacement<T>, index: number) => {
      const [here, there] = [fieldsOf(stored.get(after._id)), fieldsOf(after)];
      const changed = wanted[index]?.changed ?? [];
      return stored.has(after._id) && changed.every((name) => isSame(here[name], there[name]));
    };
    return new Set(replacements.flatMap((one, index) => (isDone(one, index) ? [] : [one.before._id])));
  }

  /**
   * Removes records, unless one of the compared fields was changed since they were read.
   * @returns the ids of those that are left
   */
  async removeIfUnchanged(records: readonly T[]): Promise<Set<string>> {
    if (records.length === 0) {
      return new Set();
    }
    const operations = records.map((record) => ({ deleteOne: { filter: this.#unchanged(record, []) } }));
    const removed = this.records.collection.bulkWrite(operations, { ordered: false });
    const { deletedCount } = await this.records.within(removed);
    if (deletedCount === records.length) {
      return new Set();
    }
    return new Set((await this.byIds(records.map(({ _id }) => _id))).keys());
  }

  async #found(filter: mongo.Filter<Stored>, options: mongo.FindOptions = {}): Promise<T[]> {
    const found: unknown[] = await this.records.list(filter, options);
    return found as T[];
  }

  #unchanged(before: T | undefined, changed: readonly string[]): mongo.Filter<Stored> {
    const fields = fieldsOf(before);
    const names = new Set([...this.compared, ...changed]);
    return {
      _id: before?._id ?? '',
      ...Object.fromEntries([...names].map((name) => [name, fields[name] ?? null])),
    };
  }

  /** @returns false if not every change has found its record */
  async #writeAll(operations: mongo.AnyBulkWriteOperation<Stored>[]): Promise<boolean> {
    if (operations.length === 0) {
      return true;
    }
    try {
      const written = this.records.collection.bulkWrite(operations, { ordered: false });
      const { matchedCount } = await this.records.within(written);
      return matchedCount === operations.length;
    } catch (error) {
      duplicatesIn(error);
      return false;
    }
  }
}

const fieldsOf = (record: object | undefined): Fields => Object.fromEntries(Object.entries(record ?? {}));

/** All records of a collection in pages, in the order of their ids. */
export const pagesOf = <T extends { _id: string }>(
  records: BulkRecords<T>,
  limit: number,
): AsyncGenerator<T[]> => inPages((last) => records.after(last?._id ?? '', limit), limit);

/** A field that is absent and one with null are the same to a filter. */
const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(one ?? null, other ?? null);

/** The update that makes one record another, and the names of the fields that it changes. One that is undefined goes. */
export function changeOf(before: Fields, after: Fields) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isSame(before[name], after[name]));
  const isGone = (name: string) => after[name] === undefined;
  const $set = Object.fromEntries(changed.filter((name) => !isGone(name)).map((name) => [name, after[name]]));
  const $unset = Object.fromEntries(changed.filter(isGone).map((name) => [name, '' as const]));
  const update = {
    ...(Object.keys($set).length > 0 && { $set }),
    ...(Object.keys($unset).length > 0 && { $unset }),
  };
  return { changed, update };
}

/**
 * The places of the statements that were refused because of a unique index.
 * @throws any other error, and a text without values for another refusal: MongoDB's texts about duplicates quote them
 */
function duplicatesIn(error: unknown): number[] {
  const isBulk = error instanceof mongo.MongoBulkWriteError;
  const refusals = isBulk ? [error.writeErrors].flat() : [];
  if (!isBulk || refusals.length === 0 || isDatabaseFull(error)) {
    throw error;
  }
  const other = refusals.find(({ code }) => code !== DUPLICATE_KEY);
  if (other) {
    throw new Error(`The gateway's database has refused a record: ${other.errmsg} (${other.code})`);
  }
  return refusals.map(({ index }) => index);
}
