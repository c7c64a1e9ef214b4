import type { DocumentStore } from '../../documents/document-store.ts';
import type { WithoutSecrets } from '../../stores/accounts.ts';
import type { AuditEventStore } from '../../stores/audit-events.ts';
import { emailDigest } from '../../stores/email-key.ts';
import type { ErasureStore, StoredErasure } from '../../stores/erasures.ts';
import type { Stores } from '../../stores/stores.ts';
import { CLOCK_TOLERANCE_MILLIS, type Clock, everyHour, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import type { AccountData } from '../account-data.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { type Actor, gatewayActor } from '../caller.ts';

interface ErasureParts {
  stores: Pick<Stores, 'accounts' | 'auditEvents' | 'doctors' | 'erasures' | 'invitations' | 'operatorActs'>;
  accountData: AccountData;
  documents: DocumentStore;
  audit: AuditTrail;
  clock: Clock;
  log: Logger;
}

/** Failures after which a run gives up: then probably nothing works. The next run begins with the others. */
const MAX_FAILURES = 20;

/**
 * Erases closed accounts for good (GDPR article 17). A database without transactions has no way to do it at once, so every
 * step may be repeated and the account goes last: after a kill, the next run finds the account and continues.
 */
export class Erasure {
  readonly #pastErasures: PastErasures;
  #isFailing = false;

  constructor(private readonly parts: ErasureParts) {
    const { stores, clock } = parts;
    this.#pastErasures = new PastErasures(stores.auditEvents, stores.erasures, clock);
  }

  /**
   * Erases all accounts that are due. Two instances may do it at the same time. A failure is logged once, until a run
   * succeeds; the next run tries again.
   * @param signal ends it between two steps
   */
  async run(signal?: AbortSignal): Promise<void> {
    try {
      const unsettled = await this.#settle(signal);
      const { stores, clock } = this.parts;
      /** The accounts that this run does not try again. */
      const left: string[] = [];
      let failures = 0;
      while (failures < MAX_FAILURES) {
        const id = await stores.accounts.nextDueForErasure(new Date(clock.now()), left);
        if (id === undefined) {
          break;
        }
        if (signal?.aborted) {
          return;
        }
        const outcome = await this.#tryToErase(id, signal);
        failures += outcome === 'failed' ? 1 : 0;
        if (outcome !== 'erased') {
          left.push(id);
        }
      }
      this.#isFailing = this.#isFailing && failures + unsettled > 0;
    } catch (err) {
      this.#logOnce(err);
    }
  }

  /** @returns with how many accounts it has failed */
  async #settle(signal: AbortSignal | undefined): Promise<number> {
    let failures = 0;
    const onFailure = (err: unknown, id: string) => {
      failures += 1;
      if (!signal?.aborted) {
        this.#logOnce(err, id);
      }
      return failures < MAX_FAILURES;
    };
    await this.#pastErasures.settle(onFailure, signal);
    return failures;
  }

  /**
   * Erases an account at once, however long ago it was closed, if ever.
   * @returns false if it does not exist
   * @throws errors of the database or the store. A run completes the erasure
   */
  async eraseNow(id: string, actor: Actor): Promise<boolean> {
    const { stores, clock } = this.parts;
    const account = await stores.accounts.beginErasureNow(id, new Date(clock.now()));
    if (!account) {
      return false;
    }
    await this.#erase(account, actor);
    return true;
  }

  async #tryToErase(id: string, signal: AbortSignal | undefined): Promise<'erased' | 'failed' | 'not due'> {
    const { stores, clock, log } = this.parts;
    try {
      const account = await stores.accounts.beginErasure(id, new Date(clock.now()));
      if (!account) {
        // Another program may have enabled it and left its date, which no run would get past.
        return 'not due';
      }
      await this.#erase(account, gatewayActor(), signal);
      log.info({ accountId: id }, 'an account was erased');
      return 'erased';
    } catch (err) {
      if (!signal?.aborted) {
        this.#logOnce(err, id);
      }
      return 'failed';
    }
  }

  /** @throws the reason of the signal */
  async #erase(account: WithoutSecrets, actor: Actor, signal?: AbortSignal): Promise<void> {
    const { stores, documents, accountData, clock } = this.parts;
    const { accounts, auditEvents, doctors, invitations, operatorActs } = stores;
    const { _id: accountId } = account;
    // An account that another program has written may have none.
    const email = typeof account.email === 'string' ? account.email : undefined;
    const digest = email === undefined ? null : emailDigest(email);
    const person = { accountId, emailDigest: digest, until: new Date(clock.now()) };
    const steps = [
      () => this.#pastErasures.note(accountId, digest),
      () => auditEvents.anonymise(person, signal),
      () => doctors.removeWithFiles(accountId, documents),
      () => accountData.end('closing', accountId),
      () => accountData.eraseFactors(accountId),
      () => accountData.removeMails(account),
      () => invitations.removeOf(accountId, email),
      () => operatorActs.remove(accountId),
      () => this.#record(accountId, actor),
      () => accounts.finishErasure(accountId),
    ];
    for (const step of steps) {
      signal?.throwIfAborted();
      await step();
    }
  }

  /**
   * Records the erasure before its last step, which is all that is left then. The event has an id of its own, so that a
   * repetition does not record it twice.
   * @throws an error if the database has not stored it: the erasure must not end without it
   */
  async #record(accountId: string, actor: Actor): Promise<void> {
    const { audit, stores } = this.parts;
    const eventId = `erasure ${accountId}`;
    if (await stores.auditEvents.has(eventId)) {
      return;
    }
    await audit.write({ act: 'erasure', accountId, eventId }, actor);
    if (!(await stores.auditEvents.has(eventId))) {
      throw new Error('the erasure could not be recorded yet');
    }
  }

  #logOnce(err: unknown, accountId?: string): void {
    if (!this.#isFailing) {
      this.parts.log.warn({ err, accountId }, 'an erasure failed; it is tried again every hour');
    }
    this.#isFailing = true;
  }
}

/** Erases accounts that are due now and every hour. */
export const scheduleErasures = (erasure: Erasure, clock: Clock): Schedule =>
  everyHour((signal) => erasure.run(signal), clock);

/** Instances keep audit events in memory for a minute, and for longer while their database does not answer. */
const SETTLE_MILLIS = 86_400_000;

const BATCH_SIZE = 100;

/** An ObjectId in hex: an id that was made here. */
const OWN_ID = /^[0-9a-f]{24}$/;

/** What is remembered of erasures. */
class PastErasures {
  constructor(
    private readonly events: AuditEventStore,
    private readonly erasures: ErasureStore,
    private readonly clock: Clock,
  ) {}

  /** Remembers an erasure that has started. A repetition moves its time ahead. */
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
    const until = new Date(erasedAt.getTime() + CLOCK_TOLERANCE_MILLIS);
    const person = { accountId: _id, emailDigest, until };
    await this.events.anonymise(person, signal);
    const now = this.clock.now();
    if (erasedAt.getTime() > now + CLOCK_TOLERANCE_MILLIS) {
      // A clock that was ahead has noted it. The day begins now.
      return this.erasures.note(_id, emailDigest, new Date(now));
    }
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
