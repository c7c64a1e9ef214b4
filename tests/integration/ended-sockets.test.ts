import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { connect, dbOf } from '../../src/database/connect.ts';
import { LONG_LIMITS } from '../support/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';

/** Far longer than a close takes. It ends a test that would otherwise hang. */
const MAX_CLOSE_MILLIS = 30_000;
/** The driver does not look at its server again within this time. */
const SINCE_LAST_LOOK_MILLIS = 600;

let proxy: DatabaseProxy;
beforeAll(async () => {
  proxy = await startDatabaseProxy();
});
afterAll(() => proxy.stop());

/** A connection that looks at its server only when a command asks for it. */
async function open() {
  await proxy.restore();
  const options = { ...LONG_LIMITS, heartbeatFrequencyMS: 60_000 };
  const connection = await connect(proxy.through(process.env.TEST_DATABASE_URI ?? ''), options);
  const ping = () => dbOf(connection).admin().ping();
  await ping();
  return { connection, ping };
}

/** The end of a socket is noticed within a few turns of the event loop. */
test.each([0, 1, 2, 3, 4, 5, 6])(
  'a connection closes, %s turns after the database has gone',
  async (turns) => {
    const { connection } = await open();
    // The turns are counted from here, not from when the proxy has noticed the ends of its sockets.
    void proxy.cut();
    for (let turn = 0; turn < turns; turn += 1) {
      await nextTurn();
    }
    const closed = connection.close().then(() => 'closed');
    expect(await Promise.race([closed, wait(MAX_CLOSE_MILLIS, 'still open', { ref: false })])).toBe('closed');
  },
);

test('the database is found again, if a command follows at once on those that it has left without an answer', async () => {
  const { connection, ping } = await open();
  await wait(SINCE_LAST_LOOK_MILLIS);
  proxy.swallow();
  // A command after a failed one looks at the server, in the turn in which the sockets end.
  const pings = Array.from({ length: 3 }, () =>
    ping()
      .catch(ping)
      .catch(() => {}),
  );
  await nextTurn();
  await proxy.cut();
  await Promise.all(pings);
  await proxy.restore();
  await eventually(ping);
  await connection.close();
});
