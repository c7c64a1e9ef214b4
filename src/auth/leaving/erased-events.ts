import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { AuditEvent, AuditEventModel } from '../../models/audit-event.model.ts';
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

/** What an event tells of a person: a filter for events that still tell it, and the change that takes it out. */
interface Trace {
  /** Events of earlier versions lack newer fields. */
  telling: object[];
  without: Partial<AuditEvent>;
}

/** The address and the program of the sender. */
const SENDER: Trace = {
  telling: [{ ip: { $gt: '' } }, { userAgent: { $gt: '' } }],
  without: { ip: '', userAgent: null },
};

/** The sender, and the e-mail of the account that the event is about. */
const SENDER_AND_EMAIL: Trace = {
  telling: [{ emailDigest: { $gt: '' } }, ...SENDER.telling],
  without: { emailDigest: null, ...SENDER.without },
};

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
  await anonymiseAll(events, { accountId }, clock, signal, async (batch) => {
    for (const { digest, lastAt } of formerEmails(batch, emailDigest)) {
      const others = { emailDigest: digest, accountId: { $nin: [null, accountId] } };
      const isTaken = await boundedExchange(events.exists(others).exec(), clock);
      const former = { emailDigest: digest, accountId: null, at: { $lte: isTaken ? lastAt : until } };
      await anonymiseAll(events, former, clock, signal);
    }
  });
  // What a reviewer did to others has the reviewer's address. The e-mail is that of the others.
  await anonymiseAll(events, { byAccountId: accountId }, clock, signal, async () => {}, SENDER);
  if (emailDigest !== null) {
    // Refused attempts have no account. Another account may have the e-mail by now: its events stay as they are.
    await anonymiseAll(events, { emailDigest, accountId: null, at: { $lte: until } }, clock, signal);
  }
}

type TellingEvent = Pick<AuditEvent, '_id' | 'at' | 'emailDigest'>;

/**
 * The e-mails that an account had before, by the events about it. Refused attempts with them have no account. If another
 * account has had the e-mail since, only those up to its last event here are certain to be about this person.
 * @param batch in the order of time
 */
function formerEmails(batch: readonly TellingEvent[], current: string | null) {
  const lastByDigest = new Map(batch.map(({ emailDigest, at }) => [emailDigest, at]));
  return [...lastByDigest].flatMap(([digest, lastAt]) =>
    digest && digest !== current ? [{ digest, lastAt }] : [],
  );
}

/** The events of an account, those that it caused at others, or those about an e-mail without an account. */
type Which =
  | { accountId: string }
  | { byAccountId: string }
  | { accountId: null; emailDigest: string; at: { $lte: Date } };

/** @param before called with each batch while it still tells of the person, so that a repetition after a kill calls it again */
async function anonymiseAll(
  events: AuditEventModel,
  which: Which,
  clock: Clock,
  signal: AbortSignal | undefined,
  before: (batch: readonly TellingEvent[]) => Promise<void> = async () => {},
  { telling, without }: Trace = SENDER_AND_EMAIL,
): Promise<void> {
  for (let from = new Date(0); !signal?.aborted; ) {
    const untilThen = 'at' in which ? which.at : {};
    const query = events
      .find({ ...which, $or: telling, at: { ...untilThen, $gte: from } })
      .sort({ at: 1 })
      .limit(BATCH_SIZE)
      .select('at emailDigest');
    const batch = await boundedExchange(query.lean<TellingEvent[]>(), clock);
    const last = batch.at(-1);
    if (!last) {
      return;
    }
    await before(batch);
    const ids = batch.map(({ _id }) => _id);
    await boundedExchange(events.updateMany({ _id: { $in: ids } }, { $set: without }).exec(), clock);
    // Those of this batch tell nothing any more, so the next one begins behind them, also among events of one moment.
    from = last.at;
  }
}
