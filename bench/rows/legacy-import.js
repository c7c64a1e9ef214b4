import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from '../../dist/database/connect.js';
import { readPages } from '../../dist/legacy/import/pipeline.js';
import { ACCOUNTS as ACCOUNT_KIND } from '../../dist/legacy/records/account-kind.js';
import { DEFAULT_POLICY } from '../../dist/legacy/records/legacy-record.js';
import { PROFILES } from '../../dist/legacy/records/profile-kind.js';
import { TOKENS } from '../../dist/legacy/records/token-kind.js';
import { LegacyDatabase } from '../../dist/legacy/source/legacy-database.js';
import { DEFAULT_TABLES } from '../../dist/legacy/source/legacy-tables.js';
import { timeReader } from '../../dist/legacy/source/legacy-time.js';
import { createIndexes } from '../../dist/stores/indexes.js';
import { addLegacyRows, createLegacyTables } from '../../tests/legacy/support/legacy-tables.mjs';
import { startMariaDb } from '../../tests/legacy/support/mariadb.mjs';
import { isInstalled } from '../../tests/services/support/programs.mjs';
import { scratchFolder, startDatabase } from '../support/server.js';

const ACCOUNTS = 1_000_000;
const TOKENS_EACH = 1.3;
const PEAK_INTERVAL_MILLIS = 100;
const COLLECTIONS = { accounts: 'accounts', profiles: 'doctor_profiles', tokens: 'access_tokens' };

/** Inserts the documents of an import, batch by batch, with the same indexes. Reading and converting do not count. */
async function insertRaw(legacyUri) {
  const database = await startDatabase();
  const source = await LegacyDatabase.open(legacyUri, DEFAULT_TABLES);
  const connection = await connect(database.uri, { socketTimeoutMS: 60_000 });
  await createIndexes(connection);
  const conversion = {
    readTime: timeReader('UTC'),
    now: new Date(),
    policy: DEFAULT_POLICY,
    erased: new Set(),
  };
  let [rows, millis] = [0, 0];
  for (const kind of [ACCOUNT_KIND, PROFILES, TOKENS]) {
    const collection = connection.collection(COLLECTIONS[kind.name]);
    for await (const page of readPages(source, kind.name, undefined)) {
      const documents = page.map((row) => kind.convert(row, conversion).record);
      const startedAt = performance.now();
      await collection.insertMany(documents, { ordered: false });
      millis += performance.now() - startedAt;
      rows += documents.length;
    }
  }
  await connection.close();
  await source.close();
  await database.stop();
  return (rows / millis) * 1000;
}

/** The largest resident memory of a process so far. */
const peakMebibytes = (pid) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Runs `auth-gateway legacy import`, from the start of its process to its end. */
async function importAll(legacyUri, rows) {
  const database = await startDatabase();
  const folder = scratchFolder();
  const settings = { ...folder.settings, MONGODB_URI: database.uri, LEGACY_DATABASE_URL: legacyUri };
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['dist/auth-gateway.js', 'legacy', 'import', '--yes', '--json'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, peakMebibytes(child.pid));
  }, PEAK_INTERVAL_MILLIS);
  const [code] = await once(child, 'exit');
  clearInterval(watching);
  const seconds = (performance.now() - startedAt) / 1000;
  await database.stop();
  folder.remove();
  if (code !== 0) {
    throw new Error(`the import ended with ${code}`);
  }
  return { perSecond: rows / seconds, peak };
}

export const row = {
  what: 'import of 1,000,000 accounts with 1,300,000 tokens from MariaDB',
  yardstick: 'insertMany of the same documents, one batch after the other',
  unit: '/s',
  reach: { least: 0.9 },
  // Each side begins with a new process or a new database.
  isWarm: false,
  mostRounds: 1,
  missing: () => (isInstalled('mariadbd') ? undefined : 'mariadbd is not installed'),
  async open({ scale }) {
    const accounts = Math.ceil(ACCOUNTS * scale);
    const tokens = Math.floor(accounts * TOKENS_EACH);
    const legacy = await startMariaDb();
    await createLegacyTables(legacy.query);
    await addLegacyRows(legacy.query, { accounts, tokens, doctorEvery: 10 });
    const rows = accounts + Math.floor(accounts / 10) + tokens;
    let peak = 0;
    return {
      yardstick: () => insertRaw(legacy.uri),
      value: async () => {
        const imported = await importAll(legacy.uri, rows);
        peak = imported.peak;
        return imported.perSecond;
      },
      others: { 'memory of the importing process, MiB': async () => peak },
      close: legacy.stop,
    };
  },
};
