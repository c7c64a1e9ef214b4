import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { AuditEvent, AuditEventModel } from '../../stores/audit-events.ts';
import type { Clock } from '../../system/clock.ts';

/** Each batch must come within the time limit of the database connection. */
const BATCH_SIZE = 500;

/** The person whose events are anonymised. */
export interface ErasedPerson {
  accountId: string;
  /** SHA-256 of the e-mail; null if the account had none. */
  emailDigest: string | null;
  /** Later events about the e-mail are about somebody else, or about nobody. */
  until: Date;
}

/** Events of earlier versions lack newer fields. */
type FoundEvent = Pick<AuditEvent, '_id' | 'at'> &
  Partial<Pick<AuditEvent, 'accountId' | 'emailDigest' | 'ip' | 'userAgent'>>;

/** What an event tells of a person: true for an event that still tells it, and the change that takes it out. */
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

/**
 * Takes e-mail digest, address and user agent out of the events about a person. Act, outcome, time and the id of the account
 * stay. It may be repeated, and it does a limited piece of work at a time.
 * @param signal ends it early
 */
export async function anonymise(
  events: AuditEventModel,
  { accountId, emailDigest, until }: ErasedPerson,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const trail = { events, clock, signal };
  const isTaken = new Map<string, boolean>();
  await anonymiseAll(trail, { accountId }, SENDER_AND_EMAIL, async (batch) => {
    for (const { digest, lastAt } of formerEmails(batch, emailDigest)) {
      const isFirst = !isTaken.has(digest);
      const taken = isTaken.get(digest) ?? (await isTakenByOther(trail, digest, accountId));
      isTaken.set(digest, taken);
      if (taken || isFirst) {
        const at = { $lte: taken ? lastAt : until };
        await anonymiseAll(trail, { emailDigest: digest, at }, WITHOUT_ACCOUNT);
      }
    }
  });
  // What a reviewer did to others has the reviewer's address. The e-mail is that of the others.
  await anonymiseAll(trail, { byAccountId: accountId }, SENDER);
  if (emailDigest !== null) {
    await anonymiseAll(trail, { emailDigest, at: { $lte: until } }, WITHOUT_ACCOUNT);
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

/** The audit trail, and what bounds the work on it. */
interface Trail {
  events: AuditEventModel;
  clock: Clock;
  signal: AbortSignal | undefined;
}

/** The events of an account, those that it caused at others, or those about an e-mail. Each has an index, in the order of time. */
type Which = { accountId: string } | { byAccountId: string } | { emailDigest: string; at?: { $lte: Date } };

/** @param before called with each batch while it still tells of the person, so that a repetition after a kill calls it again */
async function anonymiseAll(
  trail: Trail,
  which: Which,
  { isIn, without }: Trace,
  before: (batch: readonly FoundEvent[]) => Promise<void> = async () => {},
): Promise<void> {
  const { events, clock } = trail;
  for await (const batch of batchesOf(trail, which)) {
    const telling = batch.filter(isIn);
    if (telling.length > 0) {
      await before(telling);
      const ids = telling.map(({ _id }) => _id);
      await boundedExchange(events.updateMany({ _id: { $in: ids } }, { $set: without }).exec(), clock);
    }
  }
}

async function isTakenByOther(trail: Trail, emailDigest: string, accountId: string): Promise<boolean> {
  for await (const batch of batchesOf(trail, { emailDigest })) {
    if (batch.some((event) => (event.accountId ?? accountId) !== accountId)) {
      return true;
    }
  }
  return false;
}

/**
 * All events in the order of time, also those that tell nothing any more. There may be very many, and a query that leaves some
 * out would have to read all of them before its first answer.
 */
async function* batchesOf({ events, clock, signal }: Trail, which: Which): AsyncGenerator<FoundEvent[]> {
  const projection = { at: 1, accountId: 1, emailDigest: 1, ip: 1, userAgent: 1 };
  const options = { projection, sort: { at: 1 }, batchSize: BATCH_SIZE } as const;
  const cursor = events.collection.find<FoundEvent>(which, options);
  try {
    while (!signal?.aborted && (await boundedExchange(cursor.hasNext(), clock))) {
      yield cursor.readBufferedDocuments();
    }
  } finally {
    await boundedExchange(cursor.close(), clock).catch(() => {});
  }
}
