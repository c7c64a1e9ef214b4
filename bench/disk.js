/*
 * npm run bench:disk: what accounts take on the disk in the embedded database, for the table in docs/performance.md. It prints
 * the megabytes of the folder.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { idOf, openSeed } from './support/seed.js';
import { scratchFolder, startDatabase } from './support/server.js';

const ACCOUNTS = [1_000, 100_000];
const EVENTS_EACH = 10;
const DAY_MILLIS = 86_400_000;

/** What the files of a folder occupy, in megabytes. POSIX counts blocks of 512 bytes. */
const megabytesOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(path.join(folder, name)).blocks * 512)
    .reduce((sum, bytes) => sum + bytes, 0) / 1e6;

/** Fills a database in steps, and measures it after each. */
async function measure(accounts, steps) {
  const scratch = scratchFolder();
  const folder = scratch.settings.DATA_DIR;
  const measured = {};
  for (const [what, step] of Object.entries(steps)) {
    const database = await startDatabase(folder);
    const seed = await openSeed(database.uri, { BCRYPT_COST: '4' });
    await step(seed, accounts);
    await seed.close();
    await database.stop();
    measured[what] = megabytesOf(folder);
  }
  scratch.remove();
  return measured;
}

const oneDayEach = (accounts) => (i) => ({
  accountId: idOf(i % accounts),
  at: new Date(Date.now() - Math.floor(i / accounts) * DAY_MILLIS),
});
const STEPS = {
  'one account': async () => {},
  accounts: (seed, accounts) => seed.addAccounts(accounts),
  'and an access token for each': (seed, accounts) => seed.addTokens(accounts, accounts),
  [`and ${EVENTS_EACH} events of the audit trail for each`]: (seed, accounts) =>
    seed.addEvents(accounts * EVENTS_EACH, oneDayEach(accounts)),
};

const table = {};
for (const accounts of ACCOUNTS) {
  for (const [what, megabytes] of Object.entries(await measure(accounts, STEPS))) {
    table[what] = {
      ...table[what],
      [`${accounts.toLocaleString('en')} accounts`]: Math.round(megabytes * 10) / 10,
    };
  }
}
console.table(table);
