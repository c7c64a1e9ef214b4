import type { AuditEventStore } from '../../stores/audit-events.ts';
import type { ErasureStore, StoredErasure } from '../../stores/erasures.ts';
import type { Clock } from '../../system/clock.ts';

/** Instances keep audit events in memory for a minute, and for longer while their database is away. */
const SETTLE_MILLIS = 86_400_000;
const BATCH_SIZE = 100;
/** The clocks of instances differ by less than this. */
const MAX_AHEAD_MILLIS = 60_000;

/** An ObjectId in hex: an id that was made here. */
const OWN_ID = /^[0-9a-f]{24}$/;

/** What is remembered of erasures. */
export class PastErasures {
  constructor(
    private readonly events: AuditEventStore,
    private readonly erasures: ErasureStore,
    private readonly clock: Clock,
  ) {}

  /** Remembers an erasure that has begun. A repetition moves its time ahead. */
  async note(id: string, emailDigest: string | null): Promise<void> {
    await this.erasures.note(id, emailDigest, new Date(this.clock.now()));
  }

  /**
   * Takes persons out of events that were written after the erasure of their account, and forgets the e-mail digest of
   * erasures a day ago. An id that was made here is forgotten, too: no other account ever gets it. Any other may come from a
   * legacy service, which would bring the account back.
   * @param onFailure called for each account with which it fails; the others are settled. False ends it
   * @throws the database's error, if it cannot be asked for the accounts
   */
  async settle(onFailure: (error: unknown, id: string) => boolean, signal?: AbortSignal): Promise<void> {
    for (let after = ''; !signal?.aborted; ) {
      const batch = await this.erasures.unsettled(after, BATCH_SIZE);
      for (const erasure of batch) {
        try {
          await this.#settleOne(erasure, signal);
        } catch (error) {
          if (!onFailure(error, erasure._id)) {
            return;
          }
        }
      }
      after = batch.at(-1)?._id ?? '';
      if (batch.length < BATCH_SIZE) {
        return;
      }
    }
  }

  async #settleOne(erasure: StoredErasure, signal: AbortSignal | undefined): Promise<void> {
    const { _id, erasedAt, emailDigest = null } = erasure;
    const until = new Date(erasedAt.getTime() + MAX_AHEAD_MILLIS);
    const person = { accountId: _id, emailDigest, until };
    await this.events.anonymise(person, signal);
    const now = this.clock.now();
    if (erasedAt.getTime() + SETTLE_MILLIS > now || signal?.aborted) {
      return;
    }
    if (OWN_ID.test(_id)) {
      await this.erasures.forget(erasure);
    } else {
      await this.erasures.settle(erasure, new Date(now));
    }
  }
}
