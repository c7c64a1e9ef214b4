import { isDeepStrictEqual } from 'node:util';
import type { BulkRecords } from '../../stores/bulk-records.ts';
import type { DocumentHash } from '../../stores/doctor-profile-record.ts';
import type { NumberedCollection } from '../../stores/ids.ts';
import type { Stores } from '../../stores/stores.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import type { WriteTime } from '../source/legacy-time.ts';
import type { ColumnValues, Conversion, Converted, Reason } from './legacy-record.ts';

/**
 * One kind of rows and of the records that are made of them: all that the commands do differently for accounts, profiles and tokens.
 * Its methods have no state.
 */
export abstract class RecordKind<T extends { _id: string }> {
  abstract readonly name: Kind;

  /** The counter of its new ids; undefined if its records have the ids of others. */
  readonly counter: NumberedCollection | undefined;

  /** The fields that no row has, or that the gateway changes on its own. `verify` does not compare them. */
  protected abstract readonly ownFields: ReadonlySet<string>;

  /** The stored records. */
  abstract stored(stores: Stores): BulkRecords<T>;

  /** Converts a row. The same row always gives the same record. */
  abstract convert(row: LegacyRow, conversion: Conversion): Converted<T>;

  /**
   * The digest of a stored record: that of all values, then one for each part that can be changed here. It is that of the
   * conversion until somebody changes the record here.
   */
  abstract digestOf(stored: T): string;

  /** The id of the account of a row; undefined for an account. */
  abstract accountOf(row: LegacyRow): string | null | undefined;

  /** The id of the account of a record; an account's own. */
  abstract accountIdOf(record: T): string;

  /** What a stored record becomes if its row has changed there. */
  abstract changed(stored: T, record: T): T;

  /**
   * The columns that `back` writes, without the key.
   * @param row over which it writes them; undefined for a new one
   */
  abstract valuesOf(record: T, writeTime: WriteTime, row?: LegacyRow): ColumnValues;

  /** What no two records may have in common besides their id. */
  uniqueKey(_record: T): string | undefined {
    return undefined;
  }

  /** The stored records that have one of these {@link uniqueKey}s. */
  async holdersOf(_stores: Stores, _uniqueKeys: readonly string[]): Promise<T[]> {
    return [];
  }

  /**
   * For each part of the digest, whether a record says itself that it was changed here. It counts where the remembered digest has
   * no such part, because an earlier version has made it.
   */
  changedParts(_stored: T): readonly boolean[] {
    return [];
  }

  /** The stored paths of the documents that a record names. */
  documentsOf(_record: T): string[] {
    return [];
  }

  /** Notes the hash of a document in a record that is about to be stored. */
  noteHash(_record: T, _hash: DocumentHash): void {}

  /** True for an account that is marked, because the legacy service does not have it any more. */
  isMarked(_stored: T): boolean {
    return false;
  }

  /** True for a record whose removal or erasure has begun. Nothing of it is changed any more. */
  isBeingRemoved(_stored: T): boolean {
    return false;
  }

  /** True for a record that says itself that it came from the legacy service. */
  isImported(_stored: T): boolean {
    return false;
  }

  /**
   * What the record becomes if its row has changed there and the record here.
   * @param isKept for each part of the digest: true if it was changed here, so that it stays
   * @returns undefined: the whole record stays as it is here
   */
  merged(_stored: T, _record: T, _isKept: readonly boolean[]): T | undefined {
    return undefined;
  }

  /** A record whose values are right, but which is marked or has lost its e-mail, as it should be; undefined if it is. */
  repaired(_stored: T): T | undefined {
    return undefined;
  }

  /** A record with what no digest has, such as a later use; undefined if it has it. */
  refreshed(_stored: T, _record: T): T | undefined {
    return undefined;
  }

  /** True: the record of a row that cannot be taken any more stays. False: it is removed. */
  stays(_stored: T, _row: LegacyRow, _reason: Reason): boolean {
    return true;
  }

  /**
   * True if somebody has changed the record here on purpose. A damaged record has no mark of that.
   * @param _fields the names of those that differ
   */
  wasChangedHere(_stored: T, _record: T, _fields: readonly string[]): boolean {
    return false;
  }

  /** The names of the fields in which a stored record is not what its row says. */
  differingFields(stored: T, record: T): string[] {
    const fields = Object.keys(record).filter((field) => !this.ownFields.has(field));
    return fields.filter((field) => !this.isSameField(field, stored, record));
  }

  protected isSameField(field: string, stored: T, record: T): boolean {
    const [here, there] = [Reflect.get(stored, field) ?? null, Reflect.get(record, field) ?? null];
    return here === there || isDeepStrictEqual(here, there);
  }
}
