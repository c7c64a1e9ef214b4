import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSeed, shapeOf } from './seed.js';
import { startDatabase } from './server.js';

/** Every tenth account has a token. */
export const ACCOUNTS_PER_TOKEN = 10;

/** Digest of what a registration stores: fields, their types and the indexes. If it changes, the database is filled again. */
async function shape(settings) {
  const database = await startDatabase();
  const stored = await shapeOf(database.uri, settings);
  await database.stop();
  return createHash('sha256').update(stored).digest('hex').slice(0, 12);
}

/** Fills a folder and renames it, so that a folder without the ending is always complete. An interrupted fill goes on. */
async function fill(folder, accounts, settings) {
  const unfinished = `${folder}-unfinished`;
  mkdirSync(unfinished, { recursive: true });
  const database = await startDatabase(unfinished);
  const seed = await openSeed(database.uri, settings);
  await seed.addAccounts(accounts);
  await seed.addUnusedTokens(Math.floor(accounts / ACCOUNTS_PER_TOKEN), ACCOUNTS_PER_TOKEN);
  await seed.close();
  await database.stop();
  renameSync(unfinished, folder);
}

/** Removes databases of this size with other records, because each takes gigabytes. */
function removeOlder(cache, found, name, accounts) {
  const sized = new RegExp(`-${accounts}(-unfinished)?$`);
  for (const older of found.filter((each) => sized.test(each) && !each.startsWith(name))) {
    rmSync(path.join(cache, older), { recursive: true });
  }
}

/**
 * Starts an engine with this number of accounts, of which each tenth has a token. It is filled once and kept for the next run,
 * below the system's folder for temporary files.
 */
export async function startFilledDatabase(accounts, settings) {
  const cache = path.join(tmpdir(), 'auth-gateway-bench-databases');
  mkdirSync(cache, { recursive: true });
  const name = `${await shape(settings)}-${accounts}`;
  const found = readdirSync(cache);
  if (!found.includes(name)) {
    removeOlder(cache, found, name, accounts);
    console.error(`filling a database with ${accounts.toLocaleString('en')} accounts`);
    await fill(path.join(cache, name), accounts, settings);
  }
  return startDatabase(path.join(cache, name));
}
