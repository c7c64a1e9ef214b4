import type { mongo } from 'mongoose';
import { refusedInserts } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { NotFoundError } from '../system/errors.ts';
import {
  AUDIT_OUTCOMES,
  AUDITED_ACTS,
  type AuditEvent,
  auditEventSchema,
  eventOf,
  recordOf,
  ruleOf,
  type StoredAuditEvent,
} from './audit-event-record.ts';
import {
  type AuditPage,
  type AuditPageSearch,
  type AuditSearch,
  conditionsOf,
  isBehind,
  meets,
  type Place,
  pageOf,
} from './audit-search.ts';
import { CONFIRMED, Store } from './store.ts';

export {
  AUDIT_OUTCOMES,
  AUDITED_ACTS,
  type AuditEvent,
  type AuditedAct,
  type AuditOutcome,
  ruleOf,
} from './audit-event-record.ts';
export type { AuditPage, AuditPageSearch, AuditSearch } from './audit-search.ts';

/** The condition is that of the sparse index. */
const NOT_PUBLISHED = { 'unpublished.type': { $gt: '' } };

const NEWEST_FIRST = { sort: { at: -1 } } as const;

/** Each batch must come within the time limit of the database connection. */
const BATCH_SIZE = 500;
/** Of an export. It is read in smaller parts, so that other requests are served in between. */
const EXPORT_BATCH_SIZE = 100;

/** Events that the database will never take. */
interface RefusedEvents {
  events: AuditEvent[];
  /** The database's error; undefined if it has refused none. */
  error?: unknown;
}

/** An act that ended the token with this id; null: all tokens of the account, or of all accounts. */
export type TokenEnding = Pick<AuditEvent, 'at' | 'accountId' | 'tokenId'>;

const ENDING_ACTS = AUDITED_ACTS.filter((act) => ruleOf(act).endsTokens);
/** An act without an answer of the database may have been done. */
const MAY_BE_DONE = ['success', 'unknown'] as const;

/** A page takes no more time than it takes to read these. */
const MAX_EXAMINED = 2_000;

/** The person whose events are anonymised. */
interface ErasedPerson {
  accountId: string;
  /** A digest (email-key.ts); null if the account had no e-mail. */
  emailDigest: string | null;
  /** Later events about the e-mail are about somebody else, or about nobody. */
  until: Date;
}

/** What is read of an event to anonymise it. Events of earlier versions lack newer fields. */
type FoundEvent = Pick<AuditEvent, '_id' | 'at'> &
  Partial<Pick<AuditEvent, 'accountId' | 'emailDigest' | 'ip' | 'userAgent'>>;

/** Events of an account, those that it caused at others, or those about an e-mail. Each has an index, in the order of time. */
type Which = { accountId: string } | { byAccountId: string } | { emailDigest: string; at?: { $lte: Date } };

/** Personal data in an event: true for an event that still has it, and the change that removes it. */
interface Trace {
  isIn(event: FoundEvent): boolean;
  without: Partial<AuditEvent>;
}

/** The address and the program of the sender. */
const SENDER: Trace = {
  isIn: ({ ip, userAgent }) => Boolean(ip) || Boolean(userAgent),
  without: { ip: '', userAgent: null },
};

/** The sender, and the e-mail of the account that the event is about. */
const SENDER_AND_EMAIL: Trace = {
  isIn: (event) => Boolean(event.emailDigest) || SENDER.isIn(event),
  without: { emailDigest: null, ...SENDER.without },
};

/** Refused attempts have no account. Another account may have the e-mail by now: its events stay as they are. */
const WITHOUT_ACCOUNT: Trace = { ...SENDER_AND_EMAIL, isIn: ({ accountId }) => (accountId ?? null) === null };

/** What is published of an event. */
export type UnpublishedEvent = Pick<AuditEvent, '_id' | 'at' | 'act' | 'accountId'> &
  Required<Pick<AuditEvent, 'unpublished'>>;

/** The audit trail. Events are only appended, until they expire; those about an erased person are anonymised. */
export class AuditEventStore extends Store<StoredAuditEvent> {
  constructor(database: LimitedConnection) {
    super(database, auditEventSchema);
  }

  /**
   * Stores events. An earlier attempt without an answer may have stored some of them: that is no refusal.
   * @returns the refused ones. All others are stored
   * @throws if the database has not answered: any of them may be stored
   */
  async append(events: readonly AuditEvent[]): Promise<RefusedEvents> {
    try {
      const records = events.map((event) => this.records.ordered(recordOf(event)));
      await this.records.within(this.records.collection.insertMany(records, { ordered: false }));
    } catch (error) {
      const refused = refusedInserts(error);
      if (refused === undefined) {
        throw error;
      }
      return { events: events.filter((_, index) => refused.includes(index)), error };
    }
    return { events: [] };
  }

  /** True if the event of an act is stored that has an id of its own. */
  async has(id: string): Promise<boolean> {
    return this.records.exists({ _id: id });
  }

  /** The events among these that are stored. */
  async storedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.records.ids({ _id: { $in: [...ids] } });
  }

  /** Some of the events that are not published yet, the oldest of these first. */
  async unpublished(limit: number): Promise<UnpublishedEvent[]> {
    const projection = { at: 1, act: 1, accountId: 1, unpublished: 1 };
    const found = await this.records.list<UnpublishedEvent>(NOT_PUBLISHED, {
      ...CONFIRMED,
      projection,
      limit,
    });
    return found.sort((one, other) => one.at.getTime() - other.at.getTime());
  }

  /** Notes that events are published, or will never be. */
  async notePublished(ids: readonly string[]): Promise<void> {
    const change = { $unset: { unpublished: true as const } };
    await this.records.updateAll({ _id: { $in: [...ids] } }, change);
  }

  /** When the oldest event happened that is not published; undefined if all are. */
  async oldestUnpublished(): Promise<Date | undefined> {
    const [oldest] = await this.unpublished(BATCH_SIZE);
    return oldest?.at;
  }

  /** The acts by which tokens of these accounts were ended, in any order. */
  async endingsOf(accountIds: readonly string[]): Promise<TokenEnding[]> {
    return accountIds.length === 0 ? [] : this.#endings({ accountId: { $in: [...accountIds] } });
  }

  /** An operator may revoke the tokens of all accounts at once. Such an event has neither an account nor an e-mail. */
  endingsOfEveryone(): Promise<TokenEnding[]> {
    return this.#endings({ emailDigest: null, accountId: null });
  }

  async #endings(whose: mongo.Filter<StoredAuditEvent>): Promise<TokenEnding[]> {
    // A change of the password may leave all tokens. Where the number is not known, it may have ended all.
    const revoked = { $ne: 0 };
    const filter = { ...whose, act: { $in: ENDING_ACTS }, outcome: { $in: [...MAY_BE_DONE] }, revoked };
    const projection = { at: 1, accountId: 1, tokenId: 1 };
    const found = await this.records.list(filter, { projection });
    return found.map(({ at, accountId, tokenId = null }) => ({ at, accountId, tokenId }));
  }

  /**
   * The events that a search finds, the newest last. One condition has an index, in the order of time. The events that it finds
   * are read, and the other conditions are checked here: a query that leaves most of them out would read thousands before its
   * first answer.
   * @throws NotFoundError if no event has the id `afterId`
   */
  async *search({ limit, afterId, ...search }: AuditSearch): AsyncGenerator<AuditEvent> {
    const after = afterId === undefined ? undefined : await this.#require(afterId);
    const { first, others, at } = conditionsOf(search, after?.at);
    const isFound = (event: StoredAuditEvent) => others.every((condition) => meets(event, condition));
    const filter = { ...first, ...at };
    if (limit === undefined) {
      for await (const batch of this.records.batches(filter, { sort: { at: 1 }, batchSize: BATCH_SIZE })) {
        yield* batch.filter(isFound).map(eventOf);
      }
      return;
    }
    const newest: AuditEvent[] = [];
    const isWhole = others.length === 0 && after === undefined;
    const options = { ...NEWEST_FIRST, batchSize: BATCH_SIZE, ...(isWhole && { limit }) };
    for await (const batch of this.records.batchesBehind(filter, options, afterId)) {
      newest.push(...batch.filter(isFound).map(eventOf));
      if (newest.length >= limit) {
        break;
      }
    }
    yield* newest.slice(0, limit).reverse();
  }

  /**
   * A page of the events that a search finds, the newest first. It never reads more than {@link MAX_EXAMINED} of them, so a page may be
   * short, or empty, although there are more.
   * @returns undefined if no event has the id `afterId`
   */
  async page(
    { accountId, byAccountId, act, outcome, since, until }: AuditPageSearch,
    first: number,
    afterId: string | undefined,
  ): Promise<AuditPage | undefined> {
    const after = afterId === undefined ? undefined : await this.#placeOf(afterId);
    if (afterId !== undefined && !after) {
      return undefined;
    }
    const search = { accountId, byAccountId, act, outcome, since, until };
    const isOfKind =
      accountId === undefined && byAccountId === undefined && (act !== undefined || outcome !== undefined);
    return isOfKind ? this.#pageOfKinds(search, first, after) : this.#pageOfSearch(search, first, after);
  }

  async #pageOfSearch(search: AuditPageSearch, first: number, after: Place | undefined): Promise<AuditPage> {
    const { first: indexed, others, at } = conditionsOf(search, after?.at);
    const isFound = (event: StoredAuditEvent) => others.every((condition) => meets(event, condition));
    const options = { ...NEWEST_FIRST, batchSize: BATCH_SIZE };
    const events: StoredAuditEvent[] = [];
    let examined = 0;
    let lastId: string | null = null;
    for await (const batch of this.records.batchesBehind({ ...indexed, ...at }, options, after?._id)) {
      events.push(...batch.filter(isFound));
      examined += batch.length;
      lastId = batch.at(-1)?._id ?? lastId;
      if (events.length > first || examined >= MAX_EXAMINED) {
        return pageOf(events, first, lastId);
      }
    }
    return pageOf(events, first, null);
  }

  /** Each pair of an act and an outcome has the index, in the order of time. The pairs are merged. */
  async #pageOfKinds(
    { act, outcome, since, until }: AuditPageSearch,
    first: number,
    after: Place | undefined,
  ): Promise<AuditPage> {
    const acts = act === undefined ? AUDITED_ACTS : [act];
    const outcomes = outcome === undefined ? AUDIT_OUTCOMES : [outcome];
    const { at } = conditionsOf({ since, until: after?.at ?? until }, undefined);
    const ranges = [at, ...(after ? [{ at: after.at, _id: { $lt: after._id } }] : [])];
    const kinds = acts.flatMap((one) => outcomes.map((other) => ({ act: one, outcome: other })));
    const lists = kinds.flatMap((kind) =>
      ranges.map((range) => {
        const filter = { ...kind, ...range } as mongo.Filter<StoredAuditEvent>;
        return this.records.list(filter, { sort: { at: -1, _id: -1 }, limit: first + 1 });
      }),
    );
    const events = (await Promise.all(lists)).flat();
    events.sort((one, other) => (isBehind(one, other) ? 1 : -1));
    return pageOf(events, first, null);
  }

  async #placeOf(id: string): Promise<Place | undefined> {
    return this.records.first({ _id: id }, { projection: { at: 1 } });
  }

  async #require(id: string): Promise<Pick<StoredAuditEvent, 'at'>> {
    const event = await this.#placeOf(id);
    if (!event) {
      throw new NotFoundError('No event has the id of --after.');
    }
    return event;
  }

  /** The newest events about an account, and of what it did to others, the newest first. */
  async newest(accountId: string, limit: number): Promise<AuditEvent[]> {
    const newest = (which: { accountId: string } | { byAccountId: string }) =>
      this.#listOf(which, { ...NEWEST_FIRST, limit, batchSize: EXPORT_BATCH_SIZE });
    const [about, by] = await Promise.all([newest({ accountId }), newest({ byAccountId: accountId })]);
    const events = [...about, ...by.filter((event) => event.accountId !== accountId)];
    events.sort((a, b) => b.at.getTime() - a.at.getTime());
    return events.slice(0, limit);
  }

  async #listOf(filter: mongo.Filter<StoredAuditEvent>, options: mongo.FindOptions): Promise<AuditEvent[]> {
    const events: AuditEvent[] = [];
    for await (const batch of this.records.batches(filter, options)) {
      events.push(...batch.map(eventOf));
    }
    return events;
  }

  /**
   * Takes e-mail digest, address and user agent out of the events about a person. Act, outcome, time and the id of the account
   * stay. It may be repeated, and it does a limited piece of work at a time.
   * @param signal ends it early
   */
  async anonymise({ accountId, emailDigest, until }: ErasedPerson, signal?: AbortSignal): Promise<void> {
    const isTaken = new Map<string, boolean>();
    await this.#anonymiseAll({ accountId }, SENDER_AND_EMAIL, signal, async (batch) => {
      for (const { digest, lastAt } of formerEmails(batch, emailDigest)) {
        const isFirst = !isTaken.has(digest);
        const taken = isTaken.get(digest) ?? (await this.#isTakenByOther(digest, accountId, signal));
        isTaken.set(digest, taken);
        if (taken || isFirst) {
          const at = { $lte: taken ? lastAt : until };
          await this.#anonymiseAll({ emailDigest: digest, at }, WITHOUT_ACCOUNT, signal);
        }
      }
    });
    // What a reviewer did to others has the reviewer's address. The e-mail is that of the others.
    await this.#anonymiseAll({ byAccountId: accountId }, SENDER, signal);
    if (emailDigest !== null) {
      await this.#anonymiseAll({ emailDigest, at: { $lte: until } }, WITHOUT_ACCOUNT, signal);
    }
  }

  /** @param before called with each batch before its personal data is removed, so that a repetition after a kill calls it again */
  async #anonymiseAll(
    which: Which,
    { isIn, without }: Trace,
    signal: AbortSignal | undefined,
    before: (batch: readonly FoundEvent[]) => Promise<void> = async () => {},
  ): Promise<void> {
    for await (const batch of this.#tracesIn(which, signal)) {
      const identifying = batch.filter(isIn);
      if (identifying.length > 0) {
        await before(identifying);
        const ids = identifying.map(({ _id }) => _id);
        await this.records.updateAll({ _id: { $in: ids } }, { $set: without });
      }
    }
  }

  async #isTakenByOther(
    emailDigest: string,
    accountId: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    for await (const batch of this.#tracesIn({ emailDigest }, signal)) {
      if (batch.some((event) => (event.accountId ?? accountId) !== accountId)) {
        return true;
      }
    }
    return false;
  }

  /**
   * All events in the order of time, also those without personal data. There may be very many, and a query that leaves some
   * out would have to read all of them before its first answer.
   */
  #tracesIn(which: Which, signal: AbortSignal | undefined): AsyncGenerator<FoundEvent[]> {
    const projection = { at: 1, accountId: 1, emailDigest: 1, ip: 1, userAgent: 1 };
    const options = { projection, sort: { at: 1 }, batchSize: BATCH_SIZE } as const;
    return this.records.batches<FoundEvent>(which, options, signal);
  }
}

/**
 * The e-mails that an account had before, by the events about it. Refused attempts with them have no account. If another
 * account has had the e-mail since, only those up to its last event here are certain to be about this person.
 * @param batch in the order of time
 */
function formerEmails(batch: readonly FoundEvent[], current: string | null) {
  const lastByDigest = new Map(batch.map(({ emailDigest, at }) => [emailDigest, at]));
  return [...lastByDigest].flatMap(([digest, lastAt]) =>
    digest && digest !== current ? [{ digest, lastAt }] : [],
  );
}
