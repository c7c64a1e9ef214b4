import { connect } from '../../src/database/connect.ts';
import { REQUEST_EXCHANGE_MILLIS } from '../../src/database/exchange-limit.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { AttemptStore } from '../../src/stores/attempts.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { MessageStore } from '../../src/stores/messages.ts';
import { LONG_LIMITS, useDatabase } from '../support/database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';

const opened = useDatabase();

test('no verb of attempts and messages waits for a silent database for ever', async () => {
  const proxy = await startDatabaseProxy();
  const connection = await connect(proxy.through(opened.database.uri), LONG_LIMITS);
  const clock = new ManualClock();
  const database = { connection, limit: { maxMillis: REQUEST_EXCHANGE_MILLIS, clock } };
  const [attempts, messages] = [new AttemptStore(database), new MessageStore(database)];
  const now = new Date(clock.now());
  const counts = { minute: { points: 0, endsMillis: clock.now() } };
  const order = { kind: 'password changed', to: { accountId: '1' } } as const;
  const fresh = { order, orderedFrom: '', createdAt: now, nextAttemptAt: now, expiresAt: now };
  const limits = { key: 'key', windows: ['minute'], limits: { minute: 1 } } as const;
  const claimed = { id: '1', order, orderedFrom: '', createdAt: now, attempts: 1, claim: 'mine' };
  const recipient = { _id: '1', email: 'ada@example.org', emailKey: 'ada@example.org' };
  const verbs: (() => Promise<unknown>)[] = [
    () => attempts.read('key'),
    () => attempts.take({ ...limits, kept: undefined, counts }),
    () => attempts.take({ ...limits, kept: counts, counts }),
    () => attempts.take({ ...limits, kept: {}, counts }),
    () => attempts.giveBack('key', ['minute'], counts),
    () => attempts.forget('key'),
    () => attempts.probe('doctor:1', now),
    () => messages.add(fresh),
    () => messages.addLimited(fresh, 'key', 1),
    () => messages.due(now, now, 1).next(),
    () => messages.claim('1', now),
    () => messages.finish({ ...claimed, limitedUntil: undefined }),
    () => messages.finish({ ...claimed, limitedUntil: now }),
    () => messages.postpone({ ...claimed, limitedUntil: undefined }, now),
    () => messages.defer({ ...claimed, limitedUntil: undefined }, now),
    () => messages.count(),
    () => messages.pendingFor(recipient),
    () => messages.removeFor(recipient),
  ];
  proxy.stall();
  let ended = 0;
  const outcomes = verbs.map((verb) =>
    verb()
      .catch((error: unknown) => error)
      .finally(() => {
        ended += 1;
      }),
  );
  // A verb may have several exchanges, each of which takes its whole limit.
  await eventually(async () => {
    await clock.advance(REQUEST_EXCHANGE_MILLIS);
    expect(ended).toBe(verbs.length);
  });
  const errors = await Promise.all(outcomes);
  expect(errors.map(String)).toEqual(
    verbs.map(() => 'MongoNetworkTimeoutError: the database has not answered in time'),
  );
  expect(clock.pending).toBe(0);
  await proxy.restore();
  await connection.close();
  await proxy.stop();
});

test('the indexes are built on a database that opens connections slowly', async () => {
  const proxy = await startDatabaseProxy();
  const prepared = new Error('the indexes are built');
  // The connection that serves requests comes later. It waits for less than a connection takes to open.
  const options = { ...LONG_LIMITS, waitQueueTimeoutMS: 1 };
  proxy.delay(50);
  const opening = openDatabase(
    { kind: 'mongodb', uri: proxy.through(opened.database.uri) },
    async (connection) => {
      await createIndexes(connection);
      throw prepared;
    },
    { options, limit: { maxMillis: REQUEST_EXCHANGE_MILLIS, clock: new ManualClock() } },
  );
  await expect(opening).rejects.toBe(prepared);
  await proxy.stop();
});
