import type { Connection } from 'mongoose';
import mongoose from 'mongoose';
import { type AuditObserver, AuditTrail } from '../../../src/auth/audit/audit-trail.ts';
import type { Actor } from '../../../src/auth/caller.ts';
import { connect, dbOf } from '../../../src/database/connect.ts';
import { REQUEST_EXCHANGE_MILLIS } from '../../../src/database/exchange-limit.ts';
import { type AuditEvent, AuditEventStore, type AuditedAct } from '../../../src/stores/audit-events.ts';
import type { Clock } from '../../../src/system/clock.ts';
import { broken } from '../../../src/system/error-details.ts';
import {
  BadRequestError,
  InsufficientAccessError,
  InvalidCredentialsError,
  NotFoundError,
  ServiceUnavailableError,
  TooManyAttemptsError,
  UnauthenticatedError,
  ValidationError,
} from '../../../src/system/errors.ts';
import { createLog } from '../../../src/system/log.ts';
import { LONG_LIMITS, openTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const { MongoNetworkError, MongoServerError, MongoServerSelectionError } = mongoose.mongo;

const MAX_WAITING = 10_000;

const actorOf = (requestId: string): Actor => ({
  channel: 'rest',
  ip: '127.0.0.1',
  requestId,
  userAgent: undefined,
});

const away = (): Promise<never> => Promise.reject(new MongoNetworkError('connection closed'));

/** What a database does with a write of events. */
type InsertMany = (events: AuditEvent[]) => Promise<unknown>;

/** The store of a connection to such a database. */
function storeOn(insertMany: InsertMany, clock: Clock): AuditEventStore {
  const connection = { db: { collection: () => ({ insertMany }) } } as unknown as Connection;
  return new AuditEventStore({ connection, limit: { maxMillis: REQUEST_EXCHANGE_MILLIS, clock } });
}

/** A trail with a given way to write, and its log. */
function trailOf(insertMany: InsertMany = async () => {}, auditObservers: AuditObserver[] = []) {
  const lines: { msg: string; event?: AuditEvent; lost?: number }[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) });
  const clock = new ManualClock();
  const auditEvents = storeOn(insertMany, clock);
  const trail = new AuditTrail({ auditEvents, auditRetentionMillis: undefined, clock, log, auditObservers });
  const record = (requestId: string) =>
    trail.record({ act: 'login' }, actorOf(requestId), async () => ({ result: requestId }));
  const fail = (requestId: string, error: unknown) =>
    trail.record({ act: 'login' }, actorOf(requestId), () => Promise.reject(error)).catch(() => {});
  const recordMany = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      await record(String(index));
    }
  };
  const failMany = async (count: number, makeError: () => unknown) => {
    for (let index = 0; index < count; index += 1) {
      await fail(String(index), makeError());
    }
  };
  const unwritten = () => lines.flatMap(({ event }) => (event ? [event.requestId] : []));
  return { clock, trail, record, recordMany, fail, failMany, lines, unwritten };
}

/** A trail whose events are written at once. */
function writingTrail() {
  const written: AuditEvent[] = [];
  return { written, ...trailOf(async (events) => void written.push(...events)) };
}

const idsOf = (events: AuditEvent[]) => events.map(({ requestId }) => requestId);

/** A write that ends when the test says so. */
function heldWrites() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const insertMany = (events: AuditEvent[]) => {
    batches.push(idsOf(events));
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  const begun = (count: number) => eventually(() => expect(ends).toHaveLength(count));
  return { insertMany, batches, ends, begun };
}

test('an act has its result before its event is written', async () => {
  const { insertMany } = heldWrites();
  const { trail, record } = trailOf(insertMany);
  expect(await record('first')).toMatchObject({ result: 'first' });
  expect(await record('second')).toMatchObject({ result: 'second' });
  expect(trail.backlog).toEqual({ waiting: 2, lost: 0 });
});

test('four writes at a time: further events share the next, all of them and in order', async () => {
  const { insertMany, batches, ends, begun } = heldWrites();
  const { record } = trailOf(insertMany);
  for (const [index, id] of ['first', 'second', 'third', 'fourth'].entries()) {
    await record(id);
    await begun(index + 1);
  }
  const later = await Promise.all(['fifth', 'sixth', 'seventh'].map(record));
  await new Promise(setImmediate);
  ends[2]?.();
  await begun(5);
  ends[4]?.();
  await Promise.all(later.map(({ written }) => written));
  expect(batches).toEqual([['first'], ['second'], ['third'], ['fourth'], ['fifth', 'sixth', 'seventh']]);
});

test('a close waits for all writes that are under way', async () => {
  const { insertMany, ends, begun } = heldWrites();
  const { trail, record } = trailOf(insertMany);
  await record('first');
  await begun(1);
  await record('second');
  await begun(2);
  let isClosed = false;
  const closed = trail.close().then(() => {
    isClosed = true;
  });
  ends[1]?.();
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  ends[0]?.();
  await closed;
  expect(trail.backlog).toEqual({ waiting: 0, lost: 0 });
});

test('of several writes, only the events of those that failed are written again', async () => {
  const batches: string[][] = [];
  const fails: (() => void)[] = [];
  const { clock, trail, record } = trailOf((events) => {
    const [id = ''] = idsOf(events);
    const isRepeated = batches.flat().includes(id);
    batches.push(idsOf(events));
    if (isRepeated || id === 'second') {
      return Promise.resolve();
    }
    return new Promise((_, reject) => fails.push(() => reject(new MongoNetworkError('closed'))));
  });
  for (const [index, id] of ['first', 'second', 'third'].entries()) {
    await record(id);
    await eventually(() => expect(batches).toHaveLength(index + 1));
  }
  for (const fail of fails) {
    fail();
  }
  await eventually(() => expect(clock.millisToNext).toBe(1_000));
  expect(trail.backlog.waiting).toBe(2);
  await clock.advance(1_000);
  await eventually(() => expect(trail.backlog.waiting).toBe(0));
  expect(batches.slice(0, 3)).toEqual([['first'], ['second'], ['third']]);
  expect(batches.slice(3).flat().sort()).toEqual(['first', 'third']);
});

test('an event counts as written when its write has ended, and not before', async () => {
  const { insertMany, ends, begun } = heldWrites();
  const { record } = trailOf(insertMany);
  const steps: string[] = [];
  const { written } = await record('first');
  const afterwards = written.then(() => steps.push('written'));
  await begun(1);
  steps.push('the write ends');
  ends[0]?.();
  await afterwards;
  expect(steps).toEqual(['the write ends', 'written']);
});

test('an event whose write is never answered is written again', async () => {
  const batches: string[][] = [];
  const { clock, trail, record } = trailOf((events) => {
    batches.push(idsOf(events));
    return batches.length === 1 ? new Promise(() => {}) : Promise.resolve();
  });
  const { written } = await record('first');
  await eventually(() => expect(batches).toHaveLength(1));
  await clock.advance(6_000);
  await eventually(() => expect(batches).toHaveLength(2));
  await written;
  await trail.close();
  expect(batches).toEqual([['first'], ['first']]);
  expect(trail.backlog).toEqual({ waiting: 0, lost: 0 });
});

test('an answer waits only for the first attempt to write its event', async () => {
  const { trail, record } = trailOf(away);
  await (await record('first')).written;
  expect(trail.backlog.waiting).toBe(1);
  await trail.close();
});

test.each([0, 1, 2, 3, 4])(
  'an event that is recorded %i steps after the end of a write waits for no other event',
  async (steps) => {
    const written: string[] = [];
    const recordLater = async () => {
      for (let step = 0; step < steps; step += 1) {
        await Promise.resolve();
      }
      await record('right after');
    };
    const { record } = trailOf(async (events) => {
      if (written.length === 0) {
        void recordLater();
      }
      written.push(...idsOf(events));
    });
    await record('first');
    await eventually(() => expect(written).toEqual(['first', 'right after']));
  },
);

test('while the database is unreachable, the number of waiting events is limited and the number of lost events is logged', async () => {
  let isAway = true;
  const written: string[] = [];
  const { clock, trail, lines, recordMany } = trailOf(async (events) => {
    if (isAway) {
      await away();
    }
    written.push(...idsOf(events));
  });
  await recordMany(MAX_WAITING + 7);
  expect(trail.backlog).toEqual({ waiting: MAX_WAITING, lost: 7 });
  await eventually(() => expect(lines).toMatchObject([{ msg: 'audit events wait for the database' }]));
  isAway = false;
  await clock.advance(1_000);
  await eventually(() => expect(written).toHaveLength(MAX_WAITING));
  expect(written).toEqual(Array.from({ length: MAX_WAITING }, (_, index) => String(index)));
  expect(trail.backlog).toEqual({ waiting: 0, lost: 7 });
  expect(lines.filter(({ lost }) => lost)).toMatchObject([{ lost: 7 }]);
});

test('a stop without the database logs the waiting events, and later ones, too', async () => {
  const { trail, record, lines, unwritten, recordMany } = trailOf(away);
  await recordMany(MAX_WAITING + 1);
  await trail.close();
  expect(unwritten()).toHaveLength(MAX_WAITING);
  expect(lines.at(-1)).toMatchObject({ lost: 1 });
  await record('cut off');
  await trail.close();
  expect(unwritten().at(-1)).toBe('cut off');
  expect(trail.backlog.waiting).toBe(0);
});

test('the trail continues after a minute with a single refusal', async () => {
  const { clock, record, fail, written } = writingTrail();
  await fail('refused', new TooManyAttemptsError(60));
  await eventually(() => expect(idsOf(written)).toEqual(['refused']));
  await clock.advance(60_000);
  await (await record('later')).written;
  expect(idsOf(written)).toEqual(['refused', 'later']);
});

const LOST = new MongoNetworkError('connection closed');

test.each<[string, AuditedAct, unknown, string]>([
  ['an act whose answer was lost', 'revocation', LOST, 'unknown'],
  ['one that the database has interrupted', 'closing', new MongoServerError({ code: 11_602 }), 'unknown'],
  ['one that was wrapped', 'erasure', new BadRequestError('', { cause: LOST }), 'unknown'],
  ['one that was never sent', 'revocation', new MongoServerSelectionError('none', {} as never), 'failure'],
  ['one that was refused', 'revocation', new NotFoundError('no such token'), 'failure'],
  ['a login, of which nobody has the token', 'login', LOST, 'failure'],
])('%s is recorded as such', async (_, act, error, outcome) => {
  const { trail, written } = writingTrail();
  await expect(trail.record({ act }, actorOf('1'), () => Promise.reject(error))).rejects.toBe(error);
  await eventually(() => expect(written).toMatchObject([{ act, outcome }]));
});

test('each failure is observed with its cause, although few are written', async () => {
  const observed: [string, unknown][] = [];
  const { trail } = trailOf(undefined, [
    ({ requestId, reason }, error) => observed.push([`${requestId}: ${reason}`, error]),
  ]);
  const error = new InvalidCredentialsError('wrong password');
  const refusal = trail.record({ act: 'login' }, actorOf('one'), () => Promise.reject(error));
  await expect(refusal).rejects.toBe(error);
  for (const id of ['two', 'three', 'four']) {
    await expect(trail.record({ act: 'login' }, actorOf(id), away)).rejects.toThrow('connection closed');
  }
  const unanswered = ['two', 'three', 'four'].map((id) => [
    `${id}: the database does not answer`,
    expect.any(Error),
  ]);
  expect(observed).toEqual([['one: wrong password', error], ...unanswered]);
  await trail.close();
});

describe('refusals', () => {
  const REFUSALS: [string, () => Error][] = [
    ['too many attempts', () => new TooManyAttemptsError(60)],
    ['a full hash queue', () => new ServiceUnavailableError(`full: ${Math.random()} waiting`)],
    ['a caller who has gone', () => new BadRequestError('Client Closed Request', { status: 499 })],
    ['a taken e-mail', () => new ValidationError({ email: broken('taken', 'It is taken.') })],
    ['a token that has just been revoked', () => new UnauthenticatedError()],
    ['nothing found', () => new NotFoundError('No account has this e-mail.')],
    ['an unreachable database', () => new MongoNetworkError('connection closed')],
    ['a bug', () => new TypeError('x is not a function')],
  ];

  test.each(REFUSALS)(
    '%s: a thousand from one address become one event and one sum',
    async (_, makeError) => {
      const { trail, written, failMany } = writingTrail();
      await failMany(1000, makeError);
      await trail.close();
      expect(written).toMatchObject([
        { outcome: 'failure', requestId: '0', count: null, lastAt: null },
        { outcome: 'failure', requestId: '1', count: 999, lastAt: expect.any(Date) },
      ]);
    },
  );

  const ROLE = new InsufficientAccessError('role');

  test.each([
    ['refusals of forward authentication', { act: 'forward authentication' }, ROLE],
    ['lists that reviewers read', { act: 'reading', byAccountId: 'reviewer' }, undefined],
  ] as const)(
    'a thousand %s from as many addresses take no room of other refusals',
    async (_what, subject, error) => {
      const { trail, written } = writingTrail();
      for (let index = 0; index < 1_000; index += 1) {
        await trail.write(subject, { ...actorOf(`${index}`), ip: `2001:db8::${index}` }, error);
      }
      await trail.write(
        { act: 'login' },
        { ...actorOf('login'), ip: '192.0.2.1' },
        new TooManyAttemptsError(60),
      );
      await trail.close();
      expect(written.filter(({ act }) => act === 'login')).toMatchObject([{ ip: '192.0.2.1', count: null }]);
      const others = written.filter(({ act }) => act !== 'login');
      expect(others).toHaveLength(201);
      expect(others.at(-1)).toMatchObject({ ip: 'other addresses', count: 800 });
    },
  );

  test('what an operator reads is an event of its own, which is awaited', async () => {
    const { trail, written } = writingTrail();
    for (let index = 0; index < 3; index += 1) {
      await trail.write({ act: 'reading', cause: 'account', accountId: 'one' }, actorOf(`${index}`));
    }
    expect(idsOf(written)).toEqual(['0', '1', '2']);
    await trail.close();
  });

  test('a wrong password is never summed', async () => {
    const { trail, written, failMany } = writingTrail();
    await failMany(100, () => new InvalidCredentialsError('wrong password'));
    await trail.close();
    expect(written.map(({ count }) => count)).toEqual(Array(100).fill(null));
  });

  test('a flood of refusals displaces no other events while the database is unreachable', async () => {
    const { trail, unwritten, lines, recordMany, failMany } = trailOf(away);
    await failMany(MAX_WAITING + 1, () => new TooManyAttemptsError(60));
    await recordMany(MAX_WAITING);
    expect(trail.backlog).toEqual({ waiting: MAX_WAITING + 1, lost: 0 });
    await trail.close();
    expect(unwritten().slice(0, -2)).toEqual(Array.from({ length: MAX_WAITING }, (_, index) => `${index}`));
    expect(unwritten().slice(-2)).toEqual(['0', '1']);
    expect(lines.at(-1)?.event?.count).toBe(MAX_WAITING);
  });
});

describe('on a database', () => {
  test('a write whose answer is lost is not doubled by the next, and what is refused is logged', async () => {
    const database = await openTestDatabase();
    const connection = await connect(database.uri, LONG_LIMITS);
    const collection = dbOf(connection).collection<AuditEvent>('audit_events');
    let attempts = 0;
    const { clock, trail, record, unwritten } = trailOf(async (events) => {
      attempts += 1;
      // Another write may begin before the answer.
      const isFirst = attempts === 1;
      // Of an `_id` that no database takes.
      for (const event of events) {
        if (event.requestId === 'refused') {
          Reflect.set(event, '_id', [1, 2]);
        }
      }
      const answer = await collection.insertMany(events, { ordered: false });
      return isFirst ? away() : answer;
    });
    try {
      await record('first');
      await eventually(() => expect(attempts).toBe(1));
      await record('refused');
      await record('second');
      // Until the next attempt, and not until the limit of the first one.
      await eventually(() => expect(clock.millisToNext).toBe(1_000));
      await clock.advance(1_000);
      await eventually(() => expect(trail.backlog.waiting).toBe(0));
      const found = await database.db
        .collection<AuditEvent>('audit_events')
        .find()
        .sort({ _id: 1 })
        .toArray();
      expect(idsOf(found)).toEqual(['first', 'second']);
      expect(unwritten()).toEqual(['refused']);
    } finally {
      await trail.close();
      await connection.close();
      await database.drop();
    }
  });
});
