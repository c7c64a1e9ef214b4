import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { newId } from './account-record.ts';
import { Store } from './store.ts';

/** The acts of operators that together open any account: two of them need two operators. */
export const GUARDED_ACTS = ['e-mail change', 'second factor reset', 'reset link'] as const;
export type GuardedAct = (typeof GUARDED_ACTS)[number];

/** A guarded act that was done. */
interface DoneAct {
  act: GuardedAct;
  at: Date;
}

/** A guarded act that waits for another operator. */
export interface RequestedAct {
  id: string;
  act: GuardedAct;
  /** The new e-mail, of its change. */
  email?: string;
  reason: string;
  /** The account of the operator who asks. */
  requestedBy: string;
  at: Date;
}

/** What operators have done with an account lately. There is none for an account with which nobody has done anything. */
export interface StoredOperatorActs {
  /** The id of the account. */
  _id: string;
  /** New for each change by an operator: of two that have seen the same one, one is refused. */
  changeId: string;
  done: DoneAct[];
  requested?: RequestedAct;
  /** The database removes it then: nothing in it counts any more. */
  expiresAt: Date;
}

export const operatorActsSchema = new Schema<StoredOperatorActs>(
  {
    _id: { type: String, required: true },
    changeId: { type: String, required: true },
    done: {
      type: [{ act: { type: String, required: true }, at: { type: Date, required: true } }],
      required: true,
    },
    requested: {
      type: {
        id: { type: String, required: true },
        act: { type: String, required: true },
        email: String,
        reason: { type: String, required: true },
        requestedBy: { type: String, required: true },
        at: { type: Date, required: true },
      },
    },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'operator_acts' },
);
operatorActsSchema.index({ 'requested.at': 1 }, { sparse: true });
operatorActsSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** How long a guarded act counts. */
export const GUARDED_MILLIS = 7 * 86_400_000;
/** How long an act waits for another operator. */
export const REQUESTED_MILLIS = 86_400_000;
/** More acts of one account in a week, and more that wait, are not read. */
const MAX_DONE = 100;
export const MAX_REQUESTED = 100;

/** What an operator changes in the record of an account. */
export interface OperatorChange {
  /** The guarded act that is being done; undefined for any other change. */
  act?: GuardedAct | undefined;
  /** The act that waits from now on; null: none does any more; undefined: as before. */
  requested?: RequestedAct | null | undefined;
}

/** What operators have done with accounts lately. Each change is one write, which refuses an operator who has seen an older state. */
export class OperatorActStore extends Store<StoredOperatorActs> {
  constructor(database: LimitedConnection) {
    super(database, operatorActsSchema);
  }

  async find(accountId: string): Promise<StoredOperatorActs | undefined> {
    return this.records.first({ _id: accountId });
  }

  /**
   * Notes a change, unless another one was noted since.
   * @param seen the change that the operator has seen last; undefined if there was none
   * @returns false if there was another one. Of simultaneous calls, one gets true
   */
  async change(
    accountId: string,
    seen: string | undefined,
    { act, requested }: OperatorChange,
    now: Date,
  ): Promise<boolean> {
    const update = {
      $set: { changeId: newId(), expiresAt: expiryAt(now), ...(requested && { requested }) },
      ...(requested === null && { $unset: { requested: true as const } }),
      ...pushed(act, now),
    };
    // The driver's types do not know that null finds an absent record.
    const filter = { _id: accountId, changeId: (seen ?? null) as string };
    const written = this.records.update(filter, update, { upsert: seen === undefined });
    return (await isUnique(written, '_id')) && written;
  }

  /** Takes a guarded act back that was noted, but refused. */
  async takeBack(accountId: string, act: GuardedAct, at: Date): Promise<void> {
    await this.records.update({ _id: accountId }, { $pull: { done: { act, at } } });
  }

  /** Notes a guarded act that was done without this record, by the command line. */
  async note(accountId: string, act: GuardedAct, now: Date): Promise<void> {
    const update = { $set: { changeId: newId(), expiresAt: expiryAt(now) }, ...pushed(act, now) };
    await this.records.update({ _id: accountId }, update, { upsert: true });
  }

  /** The acts that wait for another operator, the oldest first. */
  requested(now: Date): Promise<StoredOperatorActs[]> {
    const filter = { 'requested.at': { $gt: new Date(now.getTime() - REQUESTED_MILLIS) } };
    return this.records.list(filter, { sort: { 'requested.at': 1 }, limit: MAX_REQUESTED });
  }

  async remove(accountId: string): Promise<void> {
    await this.records.remove({ _id: accountId });
  }
}

const expiryAt = (now: Date): Date => new Date(now.getTime() + GUARDED_MILLIS);

const pushed = (act: GuardedAct | undefined, at: Date) =>
  act === undefined
    ? { $setOnInsert: { done: [] } }
    : { $push: { done: { $each: [{ act, at }], $slice: -MAX_DONE } } };
