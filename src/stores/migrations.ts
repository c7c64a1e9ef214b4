import type { Connection } from 'mongoose';
import { AccountStore } from './accounts.ts';
import { pagesOf } from './bulk-records.ts';
import { DoctorStore } from './doctors.ts';
import { dropIndex } from './indexes.ts';
import { PAGE_SIZE } from './store.ts';

/**
 * A step from one schema version to the next. A process may die within it, and another one then begins it again: what is done
 * already must stay as it is. Gateways of the version before may run beside it.
 * @param connection without a time limit on exchanges
 * @param signal ends it early; the step throws its reason
 * @returns sentences for the operator about what it has left to do; they go to the log
 */
type Migration = (connection: Connection, signal: AbortSignal | undefined) => Promise<string[]>;

/**
 * Gives accounts with an international domain the key that logins look for. Before, their keys had the domain as it was typed,
 * and each look-up asked for all possible forms.
 */
const asciiEmailKeys: Migration = async (connection, signal) =>
  (await new AccountStore({ connection }).renewEmailKeys(signal)).map(
    (id) =>
      `Account ${id} has the e-mail of another account. It can log in once it has a new one: auth-gateway admin accounts set-email --account ${id} --to NEW`,
  );

/**
 * Removes indexes that others have replaced, which serve the same queries and their order, too. The start has made the new ones
 * by then, so the release before is as quick as it was.
 */
const replacedIndexes: Migration = async (connection) => {
  await dropIndex(connection, 'access_tokens', 'accountId_1');
  await dropIndex(connection, 'erasures', 'settledAt_1');
  return [];
};

/** Gives all accounts the fields by which an operator's search finds people. */
const searchFields: Migration = async (connection, signal) => {
  await new AccountStore({ connection }).addSearchFields(signal);
  return [];
};

/** Gives all doctors the keys of their license numbers, and marks their documents for the sweep, which makes the hashes. */
const matches: Migration = async (connection, signal) => {
  const { bulk } = new DoctorStore({ connection }, new AccountStore({ connection }));
  for await (const page of pagesOf(bulk, PAGE_SIZE)) {
    signal?.throwIfAborted();
    await bulk.replaceIfUnchanged(page.map((profile) => ({ before: profile, after: profile })));
  }
  return [];
};

/** All steps, from an empty or unversioned database on. Their number is the schema version of this gateway. Only add to the end. */
export const MIGRATIONS: readonly Migration[] = [asciiEmailKeys, replacedIndexes, searchFields, matches];
