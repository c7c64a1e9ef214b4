import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findMongod, startMongod } from '../../tests/mongodb/support/mongod.mjs';
import { largeAccountsRow } from '../support/large-accounts.js';

const PORT = 4975;

/** Starts a MongoDB on loopback, in a folder of its own. */
async function start() {
  const folder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-bench-'));
  const mongod = await startMongod({ mongod: await findMongod(), port: PORT, folder });
  // After a failure of the benchmark, no process may stay.
  process.once('exit', () => mongod.kill('SIGKILL'));
  const exited = new Promise((resolve) => mongod.once('exit', resolve));
  const stop = async () => {
    mongod.kill();
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { uri: `mongodb://127.0.0.1:${PORT}/?directConnection=true`, pid: mongod.pid, stop };
}

export const row = largeAccountsRow({
  on: 'MongoDB',
  start,
  hasLoop: false,
  missing: async () => ((await findMongod()) ? undefined : 'it needs a MongoDB (TEST_MONGOD)'),
});
