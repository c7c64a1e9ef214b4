import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { type AuditedCaller, AuditTrail } from '../../src/auth/audit-trail.ts';
import { connect } from '../../src/database/connect.ts';
import { InvalidCredentialsError } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import type { AuditEvent } from '../../src/models/audit-event.model.ts';
import { createModels } from '../../src/models/models.ts';
import { openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const MOST_WAITING = 10_000;

const callerOf = (requestId: string): AuditedCaller => ({
  door: 'rest',
  ip: '127.0.0.1',
  requestId,
  userAgent: undefined,
  identify: () => {},
});

const away = () => Promise.reject(new mongoose.mongo.MongoNetworkError('connection closed'));

/** A trail that writes as it is told to, and what it has logged. */
function trailOf(insertMany: (events: AuditEvent[]) => Promise<unknown>) {
  const lines: { msg: string; event?: AuditEvent; lost?: number }[] = [];
  const log = createLog('trace', { write: (line) => void lines.push(JSON.parse(line)) });
  const trail = new AuditTrail({ insertMany }, undefined, log);
  const tell = (requestId: string) =>
    trail.tell({ act: 'login' }, callerOf(requestId), async () => requestId);
  const unwritten = () => lines.flatMap(({ event }) => (event ? [event.requestId] : []));
  return { trail, tell, lines, unwritten };
}

const idsOf = (events: AuditEvent[]) => events.map(({ requestId }) => requestId);

test('nobody waits for the trail: a write that never ends holds up no answer', async () => {
  const { trail, tell } = trailOf(() => new Promise(() => {}));
  await tell('first');
  await wait(300);
  expect(await Promise.race([tell('second'), wait(1_000, 'too late')])).toBe('second');
  expect(trail.backlog).toEqual({ waiting: 2, lost: 0 });
});

test('what is told while a write is under way is written after it, in order', async () => {
  const written: string[] = [];
  const { trail, tell } = trailOf(async (events) => {
    if (written.length === 0) await tell('meanwhile');
    written.push(...idsOf(events));
  });
  await tell('first');
  await eventually(() => expect(written).toEqual(['first', 'meanwhile']));
  await tell('later');
  await trail.close();
  expect(written).toEqual(['first', 'meanwhile', 'later']);
});

test.each([0, 1, 2, 3, 4])(
  'what is told %i steps after the end of a write waits for no other event',
  async (steps) => {
    const written: string[] = [];
    const tellLater = async () => {
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      await tell('right after');
    };
    const { tell } = trailOf(async (events) => {
      if (written.length === 0) void tellLater();
      written.push(...idsOf(events));
    });
    await tell('first');
    await eventually(() => expect(written).toEqual(['first', 'right after']));
  },
);

test('while the database is away so many wait and no more, and the number of those lost is told', async () => {
  let isAway = true;
  const written: string[] = [];
  const { trail, tell, lines } = trailOf(async (events) => {
    if (isAway) await away();
    written.push(...idsOf(events));
  });
  for (let index = 0; index < MOST_WAITING + 7; index += 1) await tell(String(index));
  expect(trail.backlog).toEqual({ waiting: MOST_WAITING, lost: 7 });
  await eventually(() => expect(lines).toMatchObject([{ msg: 'audit events wait for the database' }]));
  isAway = false;
  await eventually(() => expect(written).toHaveLength(MOST_WAITING));
  expect(written).toEqual(Array.from({ length: MOST_WAITING }, (_, index) => String(index)));
  expect(trail.backlog).toEqual({ waiting: 0, lost: 7 });
  expect(lines.filter(({ lost }) => lost)).toMatchObject([{ lost: 7 }]);
});

test('a stop without the database puts what waits into the log, and what is told even later', async () => {
  const { trail, tell, lines, unwritten } = trailOf(away);
  for (let index = 0; index < MOST_WAITING + 1; index += 1) await tell(String(index));
  await trail.close();
  expect(unwritten()).toHaveLength(MOST_WAITING);
  expect(lines.at(-1)).toMatchObject({ lost: 1 });
  await tell('cut off');
  await trail.close();
  expect(unwritten().at(-1)).toBe('cut off');
  expect(trail.backlog.waiting).toBe(0);
});

test('failures are observed with their cause', async () => {
  const observed: [string, unknown][] = [];
  const trail = new AuditTrail(
    { insertMany: async () => {} },
    undefined,
    createLog('silent'),
    ({ requestId, reason }, error) => observed.push([`${requestId}: ${reason}`, error]),
  );
  const error = new InvalidCredentialsError('wrong password');
  const refusal = trail.tell({ act: 'login' }, callerOf('one'), () => Promise.reject(error));
  await expect(refusal).rejects.toBe(error);
  await expect(trail.tell({ act: 'login' }, callerOf('two'), away)).rejects.toThrow('connection closed');
  expect(observed).toEqual([
    ['one: wrong password', error],
    ['two: the database does not answer', expect.any(Error)],
  ]);
  await trail.close();
});

describe('on a database', () => {
  test('a write whose answer is lost is not doubled by the next, and what is refused is logged', async () => {
    const database = await openTestDatabase();
    const connection = await connect(database.uri);
    const { auditEvents } = createModels(connection);
    let attempts = 0;
    const { trail, tell, unwritten } = trailOf(async (events) => {
      attempts += 1;
      // Of an `_id` that no database takes.
      for (const event of events) if (event.requestId === 'refused') Reflect.set(event, '_id', [1, 2]);
      const answer = await auditEvents.insertMany(events, { ordered: false, lean: true });
      return attempts === 1 ? away() : answer;
    });
    try {
      await tell('first');
      await eventually(() => expect(attempts).toBe(1));
      await tell('refused');
      await tell('second');
      await eventually(() => expect(trail.backlog.waiting).toBe(0));
      const told = await database.db.collection<AuditEvent>('audit_events').find().sort({ _id: 1 }).toArray();
      expect(idsOf(told)).toEqual(['first', 'second']);
      expect(unwritten()).toEqual(['refused']);
    } finally {
      await trail.close();
      await connection.close();
      await database.drop();
    }
  });
});
