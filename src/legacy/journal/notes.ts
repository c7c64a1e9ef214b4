import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import type { Kind } from '../source/legacy-tables.ts';
import type { RecordedRow } from './batch.ts';

/** One note. */
export interface Note {
  _id: string;
  value: string;
}
const CHANGED_ACCOUNTS = 'new accounts';
/** Before a kind. */
const INSERTING = 'inserting ';
/** Before the id of an account. */
const ACCOUNT = 'account ';

const rangeOf = (prefix: string) => ({ $gte: prefix, $lt: `${prefix}~` });

/** What is remembered beside the rows. It outlives a command that is killed. */
export class Notes {
  constructor(private readonly collection: mongo.Collection<Note>) {}

  /**
   * Notes that accounts are about to be added or changed: rows that wait for their account may have it then. A command that is
   * killed leaves the note to the next one.
   */
  async noteChangedAccounts(): Promise<void> {
    const change = { $set: { value: randomUUID() } };
    await this.collection.updateOne({ _id: CHANGED_ACCOUNTS }, change, { upsert: true });
  }

  /** The note of {@link noteChangedAccounts}; undefined if there is none. */
  async changedAccounts(): Promise<string | undefined> {
    return (await this.collection.findOne({ _id: CHANGED_ACCOUNTS }))?.value;
  }

  /** Forgets a note, unless it was made again since. */
  async forgetChangedAccounts(note: string): Promise<void> {
    await this.collection.deleteOne({ _id: CHANGED_ACCOUNTS, value: note });
  }

  /**
   * Notes rows whose records are about to be stored.
   * @param number of their batch
   */
  async noteInserts(kind: Kind, number: number, rows: readonly RecordedRow[]): Promise<void> {
    const change = {
      $set: { value: JSON.stringify(rows.map(({ key, sum, digest }) => [key, sum, digest])) },
    };
    await this.collection.updateOne({ _id: `${INSERTING}${kind} ${number}` }, change, { upsert: true });
  }

  /** The rows that {@link noteInserts} has noted, until {@link forgetInserts}. */
  async notedInserts(kind: Kind): Promise<RecordedRow[]> {
    const found = await this.collection.find({ _id: rangeOf(`${INSERTING}${kind} `) }).toArray();
    const rows = found.flatMap(({ value }) => JSON.parse(value) as [string, string, string][]);
    return rows.map(([key, sum, digest]) => ({ key, sum, digest }));
  }

  /** @param number of the batch that is remembered by now; undefined: all batches of the kind */
  async forgetInserts(kind: Kind, number?: number): Promise<void> {
    const prefix = `${INSERTING}${kind} `;
    await this.collection.deleteMany({ _id: number === undefined ? rangeOf(prefix) : `${prefix}${number}` });
  }

  /** The keys in the legacy database of accounts that it knows by another id than the gateway. */
  async legacyKeys(): Promise<Map<string, string>> {
    const found = await this.collection.find({ _id: rangeOf(ACCOUNT) }).toArray();
    return new Map(found.map(({ _id, value }) => [_id.slice(ACCOUNT.length), value]));
  }

  /** Remembers the key of an account in the legacy database. */
  async setLegacyKey(accountId: string, key: string): Promise<void> {
    await this.collection.updateOne({ _id: ACCOUNT + accountId }, { $set: { value: key } }, { upsert: true });
  }
}
