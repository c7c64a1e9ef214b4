import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { connect, dbOf } from '../../src/database/connect.ts';
import { closeConnection } from '../../src/patches/mongodb-close.ts';
import { LONG_LIMITS } from '../support/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';

/** Far longer than a close takes. It ends a test that would otherwise hang. */
const MAX_CLOSE_MILLIS = 30_000;

let proxy: DatabaseProxy;
beforeAll(async () => {
  proxy = await startDatabaseProxy();
});
afterAll(() => proxy.stop());

/** The end of a socket is noticed within a few turns of the event loop. */
test.each([0, 1, 2, 3, 4, 5, 6])(
  'a connection closes, %s turns after the database has gone',
  async (turns) => {
    await proxy.restore();
    const connection = await connect(proxy.through(process.env.TEST_DATABASE_URI ?? ''), LONG_LIMITS);
    await dbOf(connection).admin().ping();
    // The turns are counted from here, not from when the proxy has noticed the ends of its sockets.
    void proxy.cut();
    for (let turn = 0; turn < turns; turn += 1) {
      await nextTurn();
    }
    const closed = closeConnection(connection).then(() => 'closed');
    expect(await Promise.race([closed, wait(MAX_CLOSE_MILLIS, 'still open', { ref: false })])).toBe('closed');
  },
);
