import { connect } from '../../src/database/connect.ts';
import { DueMessages } from '../../src/mail/due-messages.ts';
import type { WrittenMessage } from '../../src/mail/message.ts';
import { HOLD_MILLIS, LONGEST_HOLD_MILLIS } from '../../src/mail/outbox.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import type { ClaimedMessage, StoredMessage } from '../../src/stores/messages.ts';
import { LONG_LIMITS, useDatabase } from '../support/database.ts';
import { named } from '../support/database-messages.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { Events } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { draftOf, type Mailroom, openMailroom, orderFor, plainMessage } from '../support/mailroom.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freshEmail } from '../support/people.ts';
import { useSmtpServer } from '../support/smtp-server.ts';

const opened = useDatabase();
const server = useSmtpServer();

const CHECK_MILLIS = 10_000;
const REST_MILLIS = 60_000;
/** How many mails are sent at the same time. */
const PLACES = 4;
const MINUTE_MILLIS = 60_000;
const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 86_400_000;

beforeAll(() => createIndexes(opened.connection));

const stored = () => opened.database.db.collection<StoredMessage>('outgoing_mails').find().toArray();

const rooms: Mailroom[] = [];
afterEach(async () => {
  server.refuse();
  await Promise.all(rooms.splice(0).map((room) => room.stop()));
  await opened.database.db.collection('outgoing_mails').deleteMany({});
});

/** Opens a mailroom, which is closed after the test. */
function useMailroom(draftMail = plainMessage, clock?: ManualClock): Mailroom {
  const room = openMailroom(opened.connection, server.url, draftMail, clock);
  rooms.push(room);
  return room;
}

/** The same, which sends what is due. */
function startMailroom(...parts: Parameters<typeof useMailroom>): Mailroom {
  const room = useMailroom(...parts);
  room.start();
  return room;
}

/** Expects that the next mails go to these, in any order. */
async function expectMailed(...emails: string[]): Promise<void> {
  const mails = await Promise.all(emails.map(() => server.nextMail()));
  expect(mails.flatMap(({ recipients }) => recipients).sort()).toEqual(emails.sort());
}

test('an order is sent as text and HTML, to one recipient, and then it is gone', async () => {
  const message: WrittenMessage = {
    to: { name: 'Ada', address: freshEmail() },
    language: { lang: 'ar', dir: 'rtl' },
    subject: 'Reset your password',
    paragraphs: ['Hello Ada,', 'someone <b>asked</b> & so on.\nA second line.'],
    link: { label: 'Choose a password', url: 'https://app.example.org/reset?token=a&b="c' },
  };
  const room = startMailroom(async () => draftOf(message));
  const orderedAt = room.clock.now();
  await room.outbox.add({ kind: 'password reset', to: { email: 'ada@example.org' }, facts: { a: 'b' } });
  await room.clock.advance(LONGEST_HOLD_MILLIS);
  const mail = await server.nextMail();
  expect(mail).toMatchObject({
    recipients: [message.to.address],
    sender: 'clinic@example.org',
    to: [message.to],
    from: { name: 'Clinic', address: 'clinic@example.org' },
    subject: 'Reset your password',
    text: [
      'Hello Ada,\nChoose a password:\nhttps://app.example.org/reset?token=a&b="c',
      '-'.repeat(40),
      'someone <b>asked</b> & so on.\nA second line.',
    ].join('\n\n'),
  });
  expect(mail.headers).toMatchObject({
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<[0-9a-f]{24}\.\w+@example\.org>$/),
    date: `${new Date(orderedAt).toUTCString().replace('GMT', '+0000')}`,
  });
  expect(mail.html).toContain('<html lang="ar" dir="rtl">');
  expect(mail.html).toContain('<p>someone &lt;b&gt;asked&lt;/b&gt; &amp; so on.<br>A second line.</p>');
  expect(mail.html).toContain('href="https://app.example.org/reset?token=a&amp;b=&quot;c"');
  expect(await room.nextOutcome()).toBe('sent');
  expect(await stored()).toEqual([]);
});

test('an order without a text is dropped', async () => {
  const room = startMailroom(async () => undefined);
  await room.order(freshEmail());
  expect(await room.nextOutcome()).toBe('dropped');
  expect(await stored()).toEqual([]);
});

test('of simultaneous orders of one key, taken by two instances, one is sent; after its time, another one', async () => {
  const room = useMailroom();
  const other = useMailroom(plainMessage, room.clock);
  const email = freshEmail();
  const limit = { key: `password reset of ${email}`, perMillis: MINUTE_MILLIS };
  const orderOften = () =>
    Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? room : other).outbox.add(orderFor(email), { limit }),
      ),
    );
  await orderOften();
  await room.outbox.add(orderFor(freshEmail()), { limit: { ...limit, key: 'another key' } });
  expect(await room.messages.count()).toBe(2);
  room.clock.move(LONGEST_HOLD_MILLIS);
  room.start();
  const first = await server.nextMail();
  await server.nextMail();
  await room.nextOutcome();
  await room.nextOutcome();
  expect(await room.messages.count()).toBe(0);
  // What is left has neither the order nor the key.
  expect(JSON.stringify(await stored())).not.toContain(email);
  await orderOften();
  expect(await room.messages.count()).toBe(0);

  room.clock.move(MINUTE_MILLIS);
  await orderOften();
  await room.clock.advance(LONGEST_HOLD_MILLIS);
  const second = await server.nextMail();
  expect(second.recipients).toEqual([email]);
  expect(second.headers['message-id']).not.toBe(first.headers['message-id']);
  expect(await room.nextOutcome()).toBe('sent');
  expect(await stored()).toHaveLength(2);
});

test('a limited order that still waits is replaced by the next one of its key', async () => {
  const room = useMailroom();
  const limit = { key: 'a key', perMillis: MINUTE_MILLIS };
  const [former, latter] = [freshEmail(), freshEmail()];
  await room.outbox.add(orderFor(former), { limit });
  room.clock.move(MINUTE_MILLIS);
  await room.outbox.add(orderFor(latter), { limit });
  room.clock.move(LONGEST_HOLD_MILLIS);
  room.start();
  expect((await server.nextMail()).recipients).toEqual([latter]);
  expect(await room.nextOutcome()).toBe('sent');
});

test('after a clock that was ahead, neither a mail nor the limit of its key waits until the clocks have caught up', async () => {
  const room = useMailroom();
  const ahead = useMailroom(plainMessage, new ManualClock(new Date(room.clock.now() + DAY_MILLIS)));
  const limit = { key: 'of a clock that was ahead', perMillis: MINUTE_MILLIS };
  const [former, latter, claimed] = [freshEmail(), freshEmail(), freshEmail()];
  await ahead.outbox.add(orderFor(claimed));
  ahead.clock.move(LONGEST_HOLD_MILLIS);
  const [mail] = await stored();
  await ahead.messages.claim(String(mail?._id), new Date(ahead.clock.now()));
  await ahead.outbox.add(orderFor(former), { limit });
  await room.outbox.add(orderFor(latter), { limit });
  await room.outbox.add(orderFor(freshEmail()), { limit });
  room.start();
  await room.clock.advance(LONGEST_HOLD_MILLIS);
  await expectMailed(latter, claimed);
});

test('a recipient that is refused for now is tried again after 1, 2, 4 minutes, and holds nobody else up', async () => {
  server.refuse(451, '4.7.1 Greylisted, <ada@example.org>');
  const room = startMailroom();
  const email = freshEmail();
  await room.order(email);
  for (const minutes of [1, 2, 4]) {
    await server.nextRefusal();
    expect(await room.nextOutcome()).toBe('postponed');
    const [mail] = await stored();
    expect(mail?.nextAttemptAt).toEqual(new Date(room.clock.now() + minutes * MINUTE_MILLIS));
    if (minutes === 4) {
      server.refuse();
    }
    await room.pauseUntilDue(minutes * MINUTE_MILLIS);
  }
  const another = freshEmail();
  await room.order(another);
  await expectMailed(email, another);
  await room.stop();
  expect(room.log.join()).toContain('"responseCode":451,"status":"4.7.1"');
  expect(room.log.join()).not.toContain('example.org');
});

test('a refused recipient is given up at once, a refused sender is not', async () => {
  server.refuse(550, '5.1.1 <ada@example.org> is unknown');
  const room = startMailroom();
  await room.order(freshEmail());
  expect(await room.nextOutcome()).toBe('refused');
  expect(await stored()).toEqual([]);
  expect(room.log.join()).toMatch(/"level":50.*"status":"5\.1\.1","msg":"a mail was refused"/);

  server.refuse(550, '5.7.1 <clinic@example.org> may not send', 'sender');
  const email = freshEmail();
  await room.order(email);
  expect(await room.nextOutcome()).toBe('postponed');
  server.refuse();
  await room.pause(REST_MILLIS);
  await expectMailed(email);
  expect(room.log.join()).not.toMatch(/ada@|clinic@/);
});

test('a server that closes postpones a mail, one that refuses the content ends it', async () => {
  server.refuse(421, '4.3.2 closing', 'data');
  const room = startMailroom();
  await room.order(freshEmail());
  expect(await room.nextOutcome()).toBe('postponed');
  server.refuse(554, '5.6.0 no', 'data');
  await room.pauseUntilDue(MINUTE_MILLIS);
  expect(await room.nextOutcome()).toBe('refused');
  server.refuse();
  expect(await stored()).toEqual([]);
});

test('while the mail server is unreachable, one mail a minute is tried; then all are sent', async () => {
  const room = useMailroom();
  await server.stop();
  const emails = Array.from({ length: 2 * PLACES }, freshEmail);
  await room.order(...emails);
  room.start();
  const resting = () =>
    eventually(() => expect([room.clock.pending, room.clock.millisToNext]).toEqual([1, REST_MILLIS]));
  await resting();
  const tried = room.outcomes.length;
  expect(tried).toBeLessThanOrEqual(PLACES);
  await room.clock.advance(REST_MILLIS);
  await eventually(() => expect(room.outcomes).toHaveLength(tried + 1));
  await resting();
  expect(room.outcomes).toHaveLength(tried + 1);
  expect(new Set(room.outcomes)).toEqual(new Set(['postponed']));
  await server.start();
  await room.clock.advance(REST_MILLIS);
  await expectMailed(...emails);
  const warnings = room.log.filter((line) => line.includes('"level":40'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('ECONNREFUSED');
});

test('an address at which the connection is cut holds nobody up, and others go before it', async () => {
  const room = startMailroom();
  const bad = freshEmail();
  server.spoil(bad, 'cut');
  await room.order(bad);
  expect(await room.nextOutcome()).toBe('postponed');
  const emails = Array.from({ length: 6 }, freshEmail);
  await room.order(...emails);
  await expectMailed(...emails);
  for (let mails = 0; mails < emails.length; mails += 1) {
    expect(await room.nextOutcome()).toBe('sent');
  }
  await room.pauseUntilDue(MINUTE_MILLIS);
  expect(await room.nextOutcome()).toBe('postponed');
  expect(await room.messages.count()).toBe(1);
  expect(room.log.join()).not.toContain('cannot be used');
  expect(room.log.join()).toContain('a mail was deferred: the mail server gave no answer');
});

test('mails are sent while the mail server is silent about other addresses', async () => {
  const room = startMailroom();
  const silent = Array.from({ length: PLACES - 1 }, freshEmail);
  for (const email of silent) {
    server.spoil(email, 'silence');
  }
  await room.order(...silent);
  await eventually(() => expect(server.spoiled).toBe(silent.length));
  const emails = Array.from({ length: 5 }, freshEmail);
  await room.order(...emails);
  await expectMailed(...emails);
});

/** Orders a mail at whose address the connection is cut, and waits until it was tried. */
async function breakOrder(room: Mailroom, orderedFrom: string): Promise<void> {
  const email = freshEmail();
  server.spoil(email, 'cut');
  await room.outbox.add(orderFor(email), { orderedFrom });
  await room.clock.advance(LONGEST_HOLD_MILLIS);
  expect(await room.nextOutcome()).toBe('postponed');
}

test.each([
  ['an address', ['192.0.2.1', '192.0.2.1', '192.0.2.1']],
  ['an IPv6 /48', ['2001:db8:1:1::/64', '2001:db8:1:2::/64', '2001:db8:1:ff01::/64']],
])('orders of %s at which the exchange breaks do not make other mails rest', async (_, senders) => {
  const room = startMailroom();
  for (const sender of senders) {
    await breakOrder(room, sender);
  }
  const email = freshEmail();
  await room.order(email);
  await expectMailed(email);
  expect(room.log.join()).not.toContain('cannot be used');
});

test('all mails rest when the exchange breaks about the order of one sender and then of another', async () => {
  const room = startMailroom();
  await breakOrder(room, '192.0.2.1');
  await breakOrder(room, '198.51.100.1');
  const email = freshEmail();
  await room.order(email);
  expect(room.log.filter((line) => line.includes('the mail server cannot be used'))).toHaveLength(1);
  expect(server.mails.flatMap(({ recipients }) => recipients)).not.toContain(email);
  await eventually(() => expect(room.clock.millisToNext).toBeLessThanOrEqual(REST_MILLIS));
  await room.clock.advance(REST_MILLIS);
  await expectMailed(email);
});

test('networks take turns: whoever has ordered many mails does not hold up others', async () => {
  const room = useMailroom();
  for (let mails = 0; mails < 30; mails += 1) {
    await room.outbox.add(orderFor(freshEmail()), { orderedFrom: `192.0.2.${mails}` });
  }
  room.clock.move(LONGEST_HOLD_MILLIS);
  const email = freshEmail();
  await room.outbox.add(orderFor(email), { orderedFrom: '198.51.100.1' });
  room.clock.move(LONGEST_HOLD_MILLIS);
  room.start();
  const first: string[] = [];
  for (let mails = 0; mails < PLACES; mails += 1) {
    first.push(...(await server.nextMail()).recipients);
  }
  expect(first).toContain(email);
  for (let mails = PLACES; mails < 31; mails += 1) {
    await server.nextMail();
  }
});

test('an order that replaces a waiting one waits for a turn of the network that has ordered last', async () => {
  const room = useMailroom();
  const due = new DueMessages(room.messages, room.clock);
  const read = () => due.read(async () => {});
  const limit = { key: 'reset ada', perMillis: MINUTE_MILLIS };
  for (let mails = 0; mails < 50; mails += 1) {
    await room.outbox.add(orderFor(freshEmail()), { orderedFrom: '192.0.2.1' });
  }
  const order = orderFor(freshEmail());
  await room.outbox.add(order, { limit, orderedFrom: '192.0.2.1' });
  room.clock.move(LONGEST_HOLD_MILLIS);
  await read();

  room.clock.move(MINUTE_MILLIS);
  await room.outbox.add(order, { limit, orderedFrom: '198.51.100.1' });
  room.clock.move(LONGEST_HOLD_MILLIS);
  await read();
  const first = [due.nextFirst(), due.nextFirst()];
  expect(first.map((found) => found?.orderedFrom).sort()).toEqual(['192.0.2.1', '198.51.100.1']);
  const others = Array.from({ length: 51 }, () => due.nextFirst());
  expect(others.filter((found) => found !== undefined)).toHaveLength(49);
});

test('a waiting order that another instance has tried goes with those that were tried before', async () => {
  const room = useMailroom();
  const due = new DueMessages(room.messages, room.clock);
  await room.order(freshEmail());
  await due.read(async () => {});
  const [found] = await stored();
  const claimed = await room.messages.claim(found?._id ?? '', new Date(room.clock.now()));
  await room.messages.postpone(claimed as ClaimedMessage, new Date(room.clock.now()));
  room.clock.move(MINUTE_MILLIS);
  await due.read(async () => {});
  expect(due.nextFirst()).toBeUndefined();
  expect(due.nextAgain()).toMatchObject({ id: found?._id, isAgain: true });
});

test('an order that an earlier release has stored is sent', async () => {
  const room = useMailroom();
  const email = freshEmail();
  const dueAt = new Date(room.clock.now());
  await opened.database.db.collection<StoredMessage>('outgoing_mails').insertOne({
    _id: '6b0',
    order: orderFor(email),
    createdAt: dueAt,
    attempts: 0,
    nextAttemptAt: dueAt,
    expiresAt: new Date(room.clock.now() + DAY_MILLIS),
  });
  room.start();
  await expectMailed(email);
  expect(await room.nextOutcome()).toBe('sent');
});

test('the moment at which an order is due is random', async () => {
  const room = useMailroom();
  const emails = Array.from({ length: 40 }, freshEmail);
  await Promise.all(emails.map((email) => room.outbox.add(orderFor(email))));
  const waits = (await stored()).map(({ nextAttemptAt }) => Number(nextAttemptAt) - room.clock.now());
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(HOLD_MILLIS);
  expect(Math.max(...waits)).toBeLessThanOrEqual(LONGEST_HOLD_MILLIS);
  expect(new Set(waits).size).toBeGreaterThan(20);
});

test('a mail is given up a day after its order, and the log has neither the address nor the facts', async () => {
  server.refuse(451);
  const room = startMailroom();
  const email = freshEmail();
  await room.outbox.add({ ...orderFor(email), facts: { reason: 'a private reason' } });
  await room.clock.advance(LONGEST_HOLD_MILLIS);
  expect(await room.nextOutcome()).toBe('postponed');
  room.clock.move(DAY_MILLIS - LONGEST_HOLD_MILLIS - CHECK_MILLIS - 1);
  await room.pause(CHECK_MILLIS);
  expect(await room.nextOutcome()).toBe('postponed');
  room.clock.move(HOUR_MILLIS);
  await room.pause(CHECK_MILLIS);
  expect(await room.nextOutcome()).toBe('expired');
  expect(await stored()).toEqual([]);
  expect(room.log.join()).toMatch(
    /"level":50.*"kind":"password changed","attempts":3.*"a mail was given up after a day"/,
  );
  expect(room.log.join()).not.toContain(email);
  expect(room.log.join()).not.toContain('a private reason');
  server.refuse();
});

test('a mail that cannot be written is tried again, and does not stop the others', async () => {
  const [broken, email] = [freshEmail(), freshEmail()];
  let isBroken = true;
  const room = useMailroom(async (order, orderedFrom) => {
    if (isBroken && 'email' in order.to && order.to.email === broken) {
      throw new Error('the template is broken');
    }
    return plainMessage(order, orderedFrom);
  });
  room.start();
  await room.order(broken, email);
  await expectMailed(email);
  expect([await room.nextOutcome(), await room.nextOutcome()].sort()).toEqual(['postponed', 'sent']);
  isBroken = false;
  await room.pauseUntilDue(MINUTE_MILLIS);
  expect((await server.nextMail()).recipients).toEqual([broken]);
  expect(room.log.join()).toContain('the template is broken');
});

test('a stop interrupts a mail that takes too long, and the next start sends it with the same Message-ID', async () => {
  const room = useMailroom();
  const email = freshEmail();
  const arrived = new Events<true>();
  const release = server.hold(() => arrived.push(true));
  room.start();
  await room.order(email);
  await arrived.next();
  await room.stop();
  expect(await room.nextOutcome()).toBe('postponed');
  release();
  const first = await server.nextMail();
  const next = useMailroom(plainMessage, room.clock);
  next.start();
  const second = await server.nextMail();
  expect(second.headers['message-id']).toBe(first.headers['message-id']);
  expect(await next.nextOutcome()).toBe('sent');
  expect(await stored()).toEqual([]);
});

test('an order is not touched before its request is answered', async () => {
  const room = startMailroom();
  await room.outbox.add(orderFor(freshEmail()));
  await room.clock.advance(HOLD_MILLIS - 1);
  const { done } = await room.messages.due(new Date(room.clock.now()), new Date(0), 1).next();
  expect(done).toBe(true);
  const [email, another] = [freshEmail(), freshEmail()];
  await room.order(email, another);
  for (let mails = 0; mails < 3; mails += 1) {
    await server.nextMail();
  }
});

test('a sent mail whose removal the database has not taken is removed a second later, and not sent again', async () => {
  const proxy = await startDatabaseProxy();
  const connection = await connect(proxy.through(opened.database.uri), LONG_LIMITS);
  const room = openMailroom(connection, server.url);
  const isCut = proxy.breakAt({ command: named('delete outgoing_mails'), when: 'before' }, 'cut');
  room.start();
  await room.order(freshEmail());
  await server.nextMail();
  const { length } = server.mails;
  await isCut;
  await room.pause(1_000);
  expect(await room.nextOutcome()).toBe('sent');
  expect(await stored()).toEqual([]);
  await room.stop();
  expect(server.mails).toHaveLength(length);
  expect(room.log.join()).toContain('mails wait for the database');
  await connection.close();
  await proxy.stop();
});
