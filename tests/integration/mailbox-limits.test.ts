import { randomUUID } from 'node:crypto';
import { countInDatabase } from '../../src/auth/throttle/attempt-counters.ts';
import { MailboxLimits } from '../../src/auth/throttle/mailbox-limits.ts';
import { LONGEST_HOLD_MILLIS } from '../../src/mail/outbox.ts';
import { AttemptStore } from '../../src/stores/attempts.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import type { MessageOrder } from '../../src/stores/messages.ts';
import { useDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type Mailroom, openMailroom, plainMessage } from '../support/mailroom.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { useSmtpServer } from '../support/smtp-server.ts';

const opened = useDatabase();
const server = useSmtpServer();

const CHECK_MILLIS = 10_000;
const HOUR_MILLIS = 3_600_000;
const [PER_HOUR, LINKS, TAGGED] = [20, 7, 6];

let room: Mailroom;
let before: number;

beforeAll(() => createIndexes(opened.connection));

beforeEach(() => {
  const clock = new ManualClock(new Date());
  const quota = new MailboxLimits(countInDatabase(new AttemptStore(opened), clock));
  room = openMailroom(opened.connection, server.url, plainMessage, clock, quota);
  before = server.mails.length;
});
afterEach(async () => {
  server.refuse();
  await room.stop();
  await opened.database.db.collection('outgoing_mails').deleteMany({});
});

const order = (kind: MessageOrder['kind'], email: string) => room.outbox.add({ kind, to: { email } });

/** Begins to send what was ordered. */
function startSending(): void {
  room.clock.move(LONGEST_HOLD_MILLIS);
  room.start();
}

/** Sends what is due, until nothing is left to do. @param least how many outcomes there are then, or more */
async function deliver(least: number): Promise<string[]> {
  startSending();
  await eventually(() => expect(room.outcomes.length).toBeGreaterThanOrEqual(least));
  await eventually(() => expect(room.clock.millisToNext).toBe(CHECK_MILLIS));
  return server.mails.slice(before).flatMap(({ recipients }) => recipients);
}

test('a mailbox gets at most 20 mails an hour, with any tags, and what waits is sent later', async () => {
  const mailbox = randomUUID();
  const orders = 40;
  for (let tag = 0; tag < orders; tag += 1) {
    await order('password reset', `${tag % 2 ? mailbox : mailbox.toUpperCase()}+${tag}@example.org`);
  }
  expect(await deliver(orders)).toHaveLength(TAGGED);
  expect(await room.messages.count()).toBe(orders - TAGGED);

  room.clock.move(HOUR_MILLIS);
  await room.clock.advance(CHECK_MILLIS);
  await eventually(() => expect(room.outcomes).toHaveLength(orders + orders - TAGGED));
  expect(server.mails.length - before).toBe(2 * TAGGED);
});

test('tags use up no mail of the mailbox itself, and links none of its notices', async () => {
  const mailbox = randomUUID();
  const email = `${mailbox}@example.org`;
  for (let times = 0; times < 30; times += 1) {
    await order('password reset', `${mailbox}+${times}@example.org`);
    await order('password reset', email);
  }
  for (let times = 0; times < 30; times += 1) {
    await order('password changed', email);
  }
  const recipients = await deliver(90);
  expect(recipients).toHaveLength(PER_HOUR);
  expect(recipients.filter((recipient) => recipient === email)).toHaveLength(PER_HOUR - TAGGED);
});

test('an e-mail with a tag that is proven has shares of its own: no stranger delays its notices', async () => {
  const quota = new MailboxLimits(countInDatabase(new AttemptStore(opened), new ManualClock(new Date())));
  const to = { name: '', address: 'ada+clinic@example.org' };
  const kind = 'e-mail change requested';
  for (let times = 0; times < TAGGED; times += 1) {
    expect(await quota.take({ kind, to: { ...to, address: `ada+${times}@example.org` } })).toHaveProperty(
      'giveBack',
    );
  }
  expect(await quota.take({ kind, to })).toHaveProperty('retryAfterMillis');
  for (let times = 0; times < LINKS; times += 1) {
    expect(await quota.take({ kind, to, isProven: true })).toHaveProperty('giveBack');
  }
  expect(await quota.take({ kind, to, isProven: true })).toHaveProperty('retryAfterMillis');
});

test('a mail that was not sent does not count', async () => {
  const email = `${randomUUID()}@example.org`;
  server.refuse(550, '5.1.1 unknown');
  for (let times = 0; times < 2 * LINKS; times += 1) {
    await order('password reset', email);
  }
  expect(await deliver(2 * LINKS)).toHaveLength(0);
  server.refuse();
  expect(new Set(room.outcomes)).toEqual(new Set(['refused']));
  await order('password reset', email);
  room.clock.move(LONGEST_HOLD_MILLIS);
  await room.clock.advance(LONGEST_HOLD_MILLIS);
  await eventually(() => expect(server.mails.length - before).toBe(1));
});

describe('a link whose notice goes to another mailbox', () => {
  const ask = async () => {
    const [former, next] = [`${randomUUID()}@example.org`, `${randomUUID()}@example.org`];
    const notice = { kind: 'e-mail change requested', to: { email: former } } as const;
    const ordered = () => room.outbox.add({ kind: 'e-mail change', to: { email: next } }, { notice });
    return { former, next, ordered };
  };

  test('waits while that mailbox has had enough notices, also for more than an hour, and is sent right after its own', async () => {
    const { former, next, ordered } = await ask();
    for (let times = 0; times < 20; times += 1) {
      await order('new recovery codes', former);
    }
    await ordered();
    await deliver(21);
    for (
      let hour = 1;
      hour < 12 && !server.mails.some(({ recipients }) => recipients.includes(next));
      hour += 1
    ) {
      const { length } = room.outcomes;
      room.clock.move(HOUR_MILLIS);
      await room.clock.advance(CHECK_MILLIS);
      await eventually(() => expect(room.outcomes.length).toBeGreaterThan(length));
      await eventually(() => expect(room.clock.millisToNext).toBe(CHECK_MILLIS));
    }
    const sent = server.mails.slice(before);
    const at = sent.findIndex(({ recipients }) => recipients.includes(next));
    expect(at).toBeGreaterThan(0);
    const left = await opened.database.db.collection('outgoing_mails').find().toArray();
    expect(left.map((mail) => mail.order.kind)).not.toContain('e-mail change requested');
  });

  test.each([
    ['sent', undefined],
    ['refused for good', 550],
  ])('is due as soon as its notice was %s', async (_, code) => {
    const { next, ordered } = await ask();
    await ordered();
    server.refuse(code);
    startSending();
    expect(await room.nextOutcome()).toBe(code === undefined ? 'sent' : 'refused');
    server.refuse();
    expect(await room.nextOutcome()).toBe('sent');
    expect(server.mails.at(-1)?.recipients).toEqual([next]);
  });

  test('is sent an hour after the first try of a notice to a lost mailbox', async () => {
    const { former, next, ordered } = await ask();
    await ordered();
    server.spoil(former, 'cut');
    startSending();
    expect(await room.nextOutcome()).toBe('postponed');
    const link = await opened.database.db.collection('outgoing_mails').findOne({ after: { $exists: true } });
    expect(link?.nextAttemptAt).toEqual(new Date(room.clock.now() + HOUR_MILLIS));
    await room.pauseUntilDue(HOUR_MILLIS);
    await eventually(() => expect(server.mails.at(-1)?.recipients).toEqual([next]));
    server.spoil(former, undefined);
  });
});
