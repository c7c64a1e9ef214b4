import { Schema } from 'mongoose';
import { isUnique } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import type { EventPlace } from './events.ts';
import { overAt, Store } from './store.ts';

/** How far the delivery to an endpoint is. */
export interface WebhookState extends EventPlace {
  /** The name of the endpoint. */
  _id: string;
  /** How many attempts to send the next row have failed. */
  failures: number;
  /** How often it was answered with an error of the sender, and so were all rows that were tried with it. */
  refusals: number;
  /** When the first failure was that was no such answer; null if there is none. */
  failingSince: Date | null;
  /** Not before. */
  nextAttemptAt: Date;
  /** What the last try has found: a status, or why there was none. */
  lastOutcome: string | null;
  lastDeliveredAt: Date | null;
  /** How many rows were left out because the endpoint has refused them again and again. */
  setAside: number;
  /** Since when nothing is delivered any more; null if it is. */
  disabledAt: Date | null;
  /** The instance that delivers; null between deliveries. */
  claim: string | null;
  /** After that, another instance may deliver: this one was killed, or has lost the database. */
  claimedUntil: Date | null;
}

/** What a delivery changes. */
export type WebhookProgress = Partial<Omit<WebhookState, '_id' | 'claim'>>;

/** Far longer than one attempt takes. */
export const CLAIM_MILLIS = 60_000;
/** How long the next attempt waits at most. */
export const LONGEST_PAUSE_MILLIS = 3_600_000;

export const webhookSchema = new Schema<WebhookState>(
  {
    _id: { type: String, required: true },
    position: { type: Number, required: true },
    event: { type: String, required: true },
    failures: { type: Number, required: true },
    refusals: { type: Number, required: true },
    failingSince: { type: Date, default: null },
    nextAttemptAt: { type: Date, required: true },
    lastOutcome: { type: String, default: null },
    lastDeliveredAt: { type: Date, default: null },
    setAside: { type: Number, required: true },
    disabledAt: { type: Date, default: null },
    claim: { type: String, default: null },
    claimedUntil: { type: Date, default: null },
  },
  { collection: 'webhooks' },
);

/** Where the deliveries to endpoints are. Each has one instance at a time. */
export class WebhookStore extends Store<WebhookState> {
  constructor(database: LimitedConnection) {
    super(database, webhookSchema);
  }

  /** The states of these endpoints, in any order. One that was never open has none. */
  states(names: readonly string[]): Promise<WebhookState[]> {
    return this.records.list({ _id: { $in: [...names] } });
  }

  /** Begins the delivery to an endpoint behind a place, unless it has begun. */
  async open(name: string, place: EventPlace, now: Date): Promise<void> {
    await isUnique(
      this.records.insert({
        ...{ _id: name, ...place, failures: 0, refusals: 0, failingSince: null, nextAttemptAt: now },
        ...{ lastOutcome: null, lastDeliveredAt: null, setAside: 0, disabledAt: null },
        ...{ claim: null, claimedUntil: null },
      }),
      '_id',
    );
  }

  /**
   * Claims the delivery to an endpoint that may be tried now.
   * @returns its state; undefined if it may not, or another instance delivers
   */
  async claim(name: string, claim: string, now: Date): Promise<WebhookState | undefined> {
    const filter = {
      ...{ _id: name, disabledAt: null, nextAttemptAt: overAt(now, LONGEST_PAUSE_MILLIS) },
      claimedUntil: overAt(now, CLAIM_MILLIS),
    };
    const claimedUntil = new Date(now.getTime() + CLAIM_MILLIS);
    const change = { $set: { claim, claimedUntil, nextAttemptAt: now } };
    return this.records.updated(filter, change);
  }

  /** @returns false if another instance has the claim by now */
  async save(name: string, claim: string, progress: WebhookProgress): Promise<boolean> {
    const change = { $set: progress };
    return this.records.update({ _id: name, claim }, change);
  }

  /** Lets another instance deliver, with the last changes. */
  async release(name: string, claim: string, progress: WebhookProgress): Promise<void> {
    await this.records.update(
      { _id: name, claim },
      { $set: { ...progress, claim: null, claimedUntil: null } },
    );
  }

  /** Delivers again at once what was postponed or disabled. @returns false if the endpoint was never open */
  async resume(name: string): Promise<boolean> {
    const change = {
      $set: { disabledAt: null, failingSince: null, failures: 0, refusals: 0, nextAttemptAt: new Date(0) },
    };
    return this.records.update({ _id: name }, change);
  }
}
