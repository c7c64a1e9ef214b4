import { pagesOf } from '../../database/bulk-records.ts';
import { ROLES, type StoredAccount } from '../../models/account.model.ts';
import type { KeySet } from '../import/key-set.ts';
import { ACCOUNTS, toPhpHash } from '../records/account-kind.ts';
import { PROFILES } from '../records/profile-kind.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import { writeFilesBack } from './back-files.ts';
import {
  type BackState,
  bookRows,
  CHUNK,
  isClosed,
  isNumber,
  legacyKeyOf,
  notWritten,
} from './back-state.ts';
import { endedTokens } from './ended-tokens.ts';
import type { Written } from './legacy-writer.ts';

/** The records of a kind that the legacy database does not know, in groups. */
async function* newRecords<T extends { _id: string }>(
  { context: { models, signal } }: BackState,
  kind: RecordKind<T>,
  isKnown: (id: string) => boolean,
): AsyncGenerator<T[]> {
  for await (const page of pagesOf(kind.stored(models), CHUNK)) {
    signal.throwIfAborted();
    const unknown = page.filter(({ _id }) => !isKnown(_id));
    if (unknown.length > 0) {
      yield unknown;
    }
  }
}

/** Adds the accounts that were registered here. */
export async function addAccounts(state: BackState): Promise<void> {
  const isKnown = (id: string) => legacyKeyOf(state, id) !== undefined;
  for await (const accounts of newRecords(state, ACCOUNTS, isKnown)) {
    const added = await addAll(state, ACCOUNTS, accounts, (account) => addAccount(state, account));
    for (const [id, key] of added) {
      if (id === key) {
        state.accountsThere.add(id);
      } else {
        await state.context.bookkeeping.notes.setLegacyKey(id, key);
        state.legacyKeys.set(id, key);
      }
    }
  }
}

/** A number is kept as the id. Other accounts get a new number there. */
async function addAccount(
  { writer, writeTime, context }: BackState,
  account: StoredAccount,
): Promise<Written> {
  const { _id, email, passwordHash } = account;
  if (account.role === ROLES.REVIEWER) {
    return { reason: 'it is a reviewer, and would be an administrator there' };
  }
  if (isClosed(account)) {
    return { reason: 'its owner has closed it' };
  }
  const values = ACCOUNTS.newValuesOf(account, writeTime);
  const existing = await writer.accountWithEmail(email);
  if (existing !== undefined) {
    const [row] = await context.source.rows('accounts', [existing]);
    // A run that was killed may have written it, without remembering that.
    const isOurs = row?.values.password === toPhpHash(passwordHash) && (!isNumber(_id) || existing === _id);
    return isOurs
      ? { id: existing, isOld: true }
      : { reason: 'the legacy database has another account with its e-mail' };
  }
  return writer.insert('accounts', isNumber(_id) ? _id : undefined, values);
}

/** Adds the profiles of doctors that were registered here, and their documents. */
export async function addProfiles(state: BackState, known: KeySet): Promise<void> {
  const { context, writer, writeTime } = state;
  const isKnown = (id: string) => known.has(id);
  for await (const profiles of newRecords(state, PROFILES, isKnown)) {
    await addAll(state, PROFILES, profiles, async (profile) => {
      const key = await ownerThere(state, profile._id);
      if (key === undefined) {
        return { reason: 'its account is not in the legacy database' };
      }
      const [existing] = await context.source.rows('profiles', [key]);
      if (existing) {
        return { id: key, isOld: true };
      }
      const reason = await writeFilesBack(state, PROFILES.documentsOf(profile));
      return reason === undefined
        ? writer.insert('profiles', key, PROFILES.valuesOf(profile, writeTime))
        : { reason };
    });
  }
}

/** Adds the tokens that were issued here. */
export async function addTokens(state: BackState, known: KeySet): Promise<void> {
  const { writer, writeTime, context } = state;
  const type = await tokenType(state);
  const isKnown = (id: string) => known.has(id);
  for await (const unknown of newRecords(state, TOKENS, isKnown)) {
    const issued = unknown.filter((token) => !TOKENS.isImported(token));
    const ended = await endedTokens(context, issued);
    const valid = issued.filter(({ _id }) => !ended.has(_id));
    const tokens = valid.filter(({ _id }) => isNumber(_id));
    for (const { _id } of valid.filter((token) => !tokens.includes(token))) {
      notWritten(state, 'tokens', _id, 'its id is no number, so the legacy service would refuse it');
    }
    const owners = await ACCOUNTS.stored(context.models).byIds(tokens.map(({ accountId }) => accountId));
    await addAll(state, TOKENS, tokens, async (token) => {
      if (owners.get(token.accountId)?.role === ROLES.REVIEWER) {
        return { reason: 'it is of a reviewer, and would be of an administrator there' };
      }
      const key = await ownerThere(state, token.accountId);
      if (key === undefined) {
        return { reason: 'its account is not in the legacy database' };
      }
      const [existing] = await context.source.rows('tokens', [token._id]);
      if (existing) {
        const isOurs = existing.values.token === token.secretHash;
        return isOurs
          ? { id: token._id, isOld: true }
          : { reason: 'the legacy database has another token with its id' };
      }
      return writer.insert('tokens', token._id, {
        ...TOKENS.valuesOf(token, writeTime),
        tokenable_type: type,
        tokenable_id: key,
      });
    });
  }
}

/** The class of accounts in the legacy service: the one that most tokens have. */
async function tokenType({ context: { source } }: BackState): Promise<string> {
  const [first] = (await source.countBy('tokens', 'tokenable_type')).keys();
  return first ?? source.tables.tokenTypes[0] ?? '';
}

async function ownerThere(state: BackState, accountId: string): Promise<string | undefined> {
  const key = legacyKeyOf(state, accountId);
  const rows: LegacyRow[] = key === undefined ? [] : await state.context.source.rows('accounts', [key]);
  return rows[0]?.key;
}

/**
 * Adds records in one transaction, and remembers their rows.
 * @returns the keys in the legacy database by the ids of the records
 */
async function addAll<T extends { _id: string }>(
  state: BackState,
  kind: RecordKind<T>,
  records: readonly T[],
  add: (record: T) => Promise<Written>,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  const digests = new Map<string, string>();
  if (state.isDryRun) {
    state.written[kind.name].added += records.length;
    return keys;
  }
  let added = 0;
  await state.writer.transaction(async () => {
    for (const record of records) {
      const { id, isOld = false, reason } = await add(record);
      if (id === undefined) {
        notWritten(state, kind.name, record._id, reason);
      } else {
        keys.set(record._id, id);
        added += isOld ? 0 : 1;
        // With another id there, the row is not this record: `sync` must not touch it.
        if (id === record._id) {
          digests.set(id, kind.digestOf(record));
        }
      }
    }
  });
  state.written[kind.name].added += added;
  await bookRows(state, kind.name, [...keys.values()], digests);
  return keys;
}
