import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSeed } from './seed.js';
import { startDatabase } from './server.js';

export const TOKENS_EACH = 5;
/** The files that decide how records are stored. If one changes, the database is filled again. */
const STORED_BY = [
  '../../dist/models/account.model.js',
  '../../dist/models/access-token.model.js',
  '../../packages/embedded-mongo/dist/storage/store.js',
  '../../packages/embedded-mongo/dist/values/key-encoding.js',
  './seed.js',
];

function version() {
  const hash = createHash('sha256');
  for (const file of STORED_BY) {
    hash.update(readFileSync(new URL(file, import.meta.url)));
  }
  return hash.digest('hex').slice(0, 12);
}

/** Fills a temporary folder and renames it, so that an existing folder is always complete. */
async function fill(folder, accounts, settings) {
  const unfinished = `${folder}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const database = await startDatabase(unfinished);
  const seed = await openSeed(database.uri, settings);
  await seed.addAccounts(accounts);
  await seed.addUnusedTokens(TOKENS_EACH, accounts);
  await seed.close();
  await database.stop();
  renameSync(unfinished, folder);
}

/** Removes older databases of the same kind, because each takes gigabytes. */
function removeOlder(cache, accounts) {
  mkdirSync(cache, { recursive: true });
  const older = readdirSync(cache).filter((name) => name.endsWith(`-${accounts}`));
  for (const name of older) {
    rmSync(path.join(cache, name), { recursive: true });
  }
}

/**
 * Starts an engine with this number of accounts, and five tokens for each. It is filled once and kept for the next run, below
 * the system's folder for temporary files.
 */
export async function startFilledDatabase(accounts, settings) {
  const cache = path.join(tmpdir(), 'auth-gateway-bench-databases');
  const folder = path.join(cache, `${version()}-${accounts}`);
  if (!existsSync(folder)) {
    removeOlder(cache, accounts);
    console.error(`filling a database with ${accounts} accounts and ${TOKENS_EACH * accounts} tokens`);
    await fill(folder, accounts, settings);
  }
  return startDatabase(folder);
}
