import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { pathsOf } from '../files/import-files.ts';
import type { KeySet } from '../import/key-set.ts';
import { type AnyRecord, findRecords, recordKindOf, type StoredRecords } from '../records/stored-records.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { writeFilesBack } from './back-files.ts';
import { type BackState, bookRows, CHUNK, isNumber, legacyKeyOf, notWritten } from './back-state.ts';
import { endedTokens } from './ended-tokens.ts';
import { accountValues, isClosed, profileValues, tokenValues, toPhpHash } from './legacy-values.ts';
import type { Written } from './legacy-writer.ts';

/** The records of a kind that the legacy database does not know, in groups. */
async function* newRecords<K extends Kind>(
  { context: { models, signal } }: BackState,
  kind: K,
  isKnown: (id: string) => boolean,
  filter: object = {},
): AsyncGenerator<StoredRecords[K][]> {
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const wanted = { ...filter, _id: { $gt: after } };
    const page = await findRecords(models, kind, wanted, { sort: { _id: 1 }, limit: CHUNK });
    if (page.length === 0) {
      return;
    }
    const unknown = page.filter(({ _id }) => !isKnown(_id));
    if (unknown.length > 0) {
      yield unknown;
    }
    after = page.at(-1)?._id ?? '';
  }
}

/** Adds the accounts that were registered here. */
export async function addAccounts(state: BackState): Promise<void> {
  const isKnown = (id: string) => legacyKeyOf(state, id) !== undefined;
  for await (const accounts of newRecords(state, 'accounts', isKnown)) {
    const added = await addAll(state, 'accounts', accounts, (account) => addAccount(state, account));
    for (const [id, key] of added) {
      if (id === key) {
        state.accountsThere.add(id);
      } else {
        await state.context.bookkeeping.setLegacyKey(id, key);
        state.legacyKeys.set(id, key);
      }
    }
  }
}

/** A number is kept as the id. Other accounts get a new number there. */
async function addAccount(
  { writer, writeTime, context, reviewers }: BackState,
  account: StoredAccount,
): Promise<Written> {
  const { _id, email, passwordHash } = account;
  if (reviewers.has(_id)) {
    return { reason: 'it is a reviewer, and would be an administrator there' };
  }
  if (isClosed(account)) {
    return { reason: 'its owner has closed it' };
  }
  const values = accountValues(account, writeTime);
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
  for await (const profiles of newRecords(state, 'profiles', isKnown)) {
    await addAll(state, 'profiles', profiles, async (profile: DoctorProfile) => {
      const key = await ownerThere(state, profile._id);
      if (key === undefined) {
        return { reason: 'its account is not in the legacy database' };
      }
      const [existing] = await context.source.rows('profiles', [key]);
      if (existing) {
        return { id: key, isOld: true };
      }
      const reason = await writeFilesBack(state, pathsOf(profile));
      return reason === undefined
        ? writer.insert('profiles', key, profileValues(profile, writeTime))
        : { reason };
    });
  }
}

/** Adds the tokens that were issued here. */
export async function addTokens(state: BackState, known: KeySet): Promise<void> {
  const { writer, writeTime, context } = state;
  const type = await tokenType(state);
  const isKnown = (id: string) => known.has(id);
  const issuedHere = { imported: { $exists: false } };
  for await (const issued of newRecords(state, 'tokens', isKnown, issuedHere)) {
    const ended = await endedTokens(context, new Map(issued.map((token) => [token._id, token])));
    const valid = issued.filter(({ _id }) => !ended.has(_id));
    const tokens = valid.filter(({ _id }) => isNumber(_id));
    for (const { _id } of valid.filter((token) => !tokens.includes(token))) {
      notWritten(state, 'tokens', _id, 'its id is no number, so the legacy service would refuse it');
    }
    await addAll(state, 'tokens', tokens, async (token: StoredAccessToken) => {
      if (state.reviewers.has(token.accountId)) {
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
      return writer.insert('tokens', token._id, tokenValues(token, type, key, writeTime));
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
async function addAll<T extends AnyRecord>(
  state: BackState,
  kind: Kind,
  records: readonly T[],
  add: (record: T) => Promise<Written>,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  const digests = new Map<string, string>();
  if (state.isDryRun) {
    state.written[kind].added += records.length;
    return keys;
  }
  let added = 0;
  await state.writer.transaction(async () => {
    for (const record of records) {
      const { id, isOld = false, reason } = await add(record);
      if (id === undefined) {
        notWritten(state, kind, record._id, reason);
      } else {
        keys.set(record._id, id);
        added += isOld ? 0 : 1;
        // With another id there, the row is not this record: `sync` must not touch it.
        if (id === record._id) {
          digests.set(id, recordKindOf(kind).digestOf(record));
        }
      }
    }
  });
  state.written[kind].added += added;
  await bookRows(state, kind, [...keys.values()], digests);
  return keys;
}
