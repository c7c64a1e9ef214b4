import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { ROLES, type StoredAccount } from '../../stores/accounts.ts';
import { pagesOf } from '../../stores/bulk-records.ts';
import type { DoctorProfile } from '../../stores/doctors.ts';
import type { KeySet } from '../import/key-set.ts';
import { ACCOUNTS, toPhpHash } from '../records/account-kind.ts';
import { PROFILES } from '../records/profile-kind.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import { reasonAgainstFiles, writeFilesBack } from './back-files.ts';
import {
  type BackState,
  CHUNK,
  IS_CLOSED,
  IS_REVIEWER,
  isClosed,
  isNumber,
  legacyKeyOf,
  notWritten,
  recordRows,
  reportEmptied,
  reportProposals,
} from './back-state.ts';
import { endedTokens } from './ended-tokens.ts';
import { type Written, withEmptyTexts } from './legacy-writer.ts';

/** Adds the accounts that were registered here, doctors with their profiles and documents or not at all. */
export async function addAccounts(state: BackState): Promise<void> {
  const { context, writer } = state;
  const isKnown = (id: string) => legacyKeyOf(state, id) !== undefined;
  for await (const accounts of newRecords(state, ACCOUNTS, isKnown)) {
    const ids = accounts.map(({ _id }) => _id);
    const profiles = await PROFILES.stored(context.stores).byIds(ids);
    const added = { accounts: new Additions(state, ACCOUNTS), profiles: new Additions(state, PROFILES) };
    await writer.transaction(async () => {
      for (const account of accounts) {
        await addWhole(state, account, profiles.get(account._id), added);
      }
    });
    await added.accounts.remember();
    await added.profiles.remember();
    await rememberKeys(state, added.accounts.keys);
  }
}

async function addWhole(
  state: BackState,
  account: StoredAccount,
  profile: DoctorProfile | undefined,
  added: { accounts: Additions<StoredAccount>; profiles: Additions<DoctorProfile> },
): Promise<void> {
  await state.writer.attempt(async () => {
    const written = await addAccount(state, account);
    const withProfile =
      profile && written.id !== undefined ? await addProfile(state, profile, written.id) : undefined;
    // An earlier version may have written the account alone. It stays.
    if (withProfile?.reason !== undefined && !written.isOld) {
      added.accounts.note(account, { reason: `its profile: ${withProfile.reason}` });
      return false;
    }
    added.accounts.note(account, written);
    if (profile && withProfile) {
      added.profiles.note(profile, withProfile);
    }
    return true;
  });
}

/** A number is kept as the id. Other accounts get a new number there. */
async function addAccount(
  { writer, writeTime, context }: BackState,
  account: StoredAccount,
): Promise<Written> {
  const { _id, email, passwordHash, role } = account;
  if (role === ROLES.REVIEWER) {
    return { reason: IS_REVIEWER };
  }
  if (isClosed(account)) {
    return { reason: IS_CLOSED };
  }
  const values = ACCOUNTS.newValuesOf(account, writeTime);
  const existing = await writer.accountWithEmail(email);
  if (existing !== undefined) {
    const [row] = await context.source.rows('accounts', [existing]);
    // A run that was killed may have written it, without remembering that.
    const isSame = row?.values.password === toPhpHash(passwordHash) && (!isNumber(_id) || existing === _id);
    return isSame
      ? { id: existing, isOld: true }
      : { reason: 'the legacy database has another account with its e-mail' };
  }
  return writer.insert('accounts', isNumber(_id) ? _id : undefined, values);
}

/** Accounts that have another id there are found by it. */
async function rememberKeys(state: BackState, added: ReadonlyMap<string, string>): Promise<void> {
  for (const [id, key] of added) {
    if (id === key) {
      state.accountsThere.add(id);
    } else {
      state.legacyKeys.set(id, key);
      if (!state.isDryRun) {
        await state.context.journal.notes.setLegacyKey(id, key);
      }
    }
  }
}

/**
 * Adds the profiles of accounts that were there before them. Those of new accounts go with these.
 * @param known the keys of the rows of earlier runs
 */
export async function addProfiles(state: BackState, known: KeySet): Promise<void> {
  const { added, writer } = state;
  const wasKnown = isIn(known);
  const isKnown = (id: string) => wasKnown(id) || added.profiles.has(legacyKeyOf(state, id) ?? id);
  for await (const profiles of newRecords(state, PROFILES, isKnown)) {
    const additions = new Additions(state, PROFILES);
    await writer.transaction(async () => {
      for (const profile of profiles) {
        const key = await ownerThere(state, profile._id);
        const written: Written =
          key === undefined
            ? { reason: 'its account is not in the legacy database' }
            : await addProfile(state, profile, key);
        additions.note(profile, written);
      }
    });
    await additions.remember();
  }
}

/**
 * Adds a profile and then its documents, in the transaction that runs: documents without a row would stay behind.
 * @param key of its account in the legacy database
 */
async function addProfile(state: BackState, profile: DoctorProfile, key: string): Promise<Written> {
  const { context, writer, writeTime, required } = state;
  const [existing] = await context.source.rows('profiles', [key]);
  if (existing) {
    return { id: key, isOld: true };
  }
  const paths = PROFILES.documentsOf(profile);
  const reason = await reasonAgainstFiles(state, paths);
  if (reason !== undefined) {
    return { reason };
  }
  const { values, emptied } = withEmptyTexts(PROFILES.valuesOf(profile, writeTime), required.profiles);
  const written = await writer.insert('profiles', key, values);
  if (written.id !== undefined) {
    await writeFilesBack(state, paths);
    reportEmptied(state, profile._id, emptied);
    reportProposals(state, [profile]);
  }
  return written;
}

/**
 * Adds the tokens that were issued here.
 * @param known the keys of the rows of earlier runs
 */
export async function addTokens(state: BackState, known: KeySet): Promise<void> {
  const { context, writer } = state;
  const type = await tokenType(state);
  for await (const unknown of newRecords(state, TOKENS, isIn(known))) {
    const issued = unknown.filter((token) => !TOKENS.isImported(token));
    const ended = await endedTokens(state, issued);
    const valid = issued.filter(({ _id }) => !ended.has(_id));
    const tokens = valid.filter(({ _id }) => isNumber(_id));
    for (const { _id } of valid.filter((token) => !tokens.includes(token))) {
      notWritten(state, 'tokens', _id, 'its id is no number, so the legacy service would refuse it');
    }
    const owners = await ACCOUNTS.stored(context.stores).byIds(tokens.map(({ accountId }) => accountId));
    const additions = new Additions(state, TOKENS);
    await writer.transaction(async () => {
      for (const token of tokens) {
        const reason = reasonAgainstOwner(owners.get(token.accountId));
        const written: Written = reason === undefined ? await addToken(state, token, type) : { reason };
        additions.note(token, written);
      }
    });
    await additions.remember();
  }
}

/** Why no token of an account is added. */
function reasonAgainstOwner(account: StoredAccount | undefined): string | undefined {
  if (account && ACCOUNTS.isMarked(account)) {
    // The role there may be that of an administrator by now, and the token is one of a patient or doctor.
    return 'its account is gone there, or has a role there that does not move';
  }
  return account?.role === ROLES.REVIEWER
    ? 'it is of a reviewer, and would be of an administrator there'
    : undefined;
}

async function addToken(state: BackState, token: StoredAccessToken, type: string): Promise<Written> {
  const { writer, writeTime, context } = state;
  const key = await ownerThere(state, token.accountId);
  if (key === undefined) {
    return { reason: 'its account is not in the legacy database' };
  }
  const [existing] = await context.source.rows('tokens', [token._id]);
  if (existing) {
    const isSame = existing.values.token === token.secretHash;
    return isSame
      ? { id: token._id, isOld: true }
      : { reason: 'the legacy database has another token with its id' };
  }
  return writer.insert('tokens', token._id, {
    ...TOKENS.valuesOf(token, writeTime),
    tokenable_type: type,
    tokenable_id: key,
  });
}

/** The class of accounts in the legacy service: the one that most tokens have. */
async function tokenType({ context: { source } }: BackState): Promise<string> {
  const [first] = (await source.countBy('tokens', 'tokenable_type')).keys();
  return first ?? source.tables.tokenTypes[0] ?? '';
}

/** The records of a kind that the legacy database does not know, in groups. */
async function* newRecords<T extends { _id: string }>(
  { context: { stores, signal } }: BackState,
  kind: RecordKind<T>,
  isKnown: (id: string) => boolean,
): AsyncGenerator<T[]> {
  for await (const page of pagesOf(kind.stored(stores), CHUNK)) {
    signal.throwIfAborted();
    const unknown = page.filter(({ _id }) => !isKnown(_id));
    if (unknown.length > 0) {
      yield unknown;
    }
  }
}

/** True for a key that is among the rows of earlier runs. */
const isIn =
  (known: KeySet) =>
  (id: string): boolean =>
    known.has(id);

/** The key of an account in the legacy database; undefined if it is not there. */
async function ownerThere(state: BackState, accountId: string): Promise<string | undefined> {
  const key = legacyKeyOf(state, accountId);
  if (key === undefined || state.added.accounts.has(key)) {
    return key;
  }
  const [row] = await state.context.source.rows('accounts', [key]);
  return row?.key;
}

/** The rows of one kind that a transaction adds. */
class Additions<T extends { _id: string }> {
  /** The keys in the legacy database by the ids of the records. */
  readonly keys = new Map<string, string>();
  readonly #digests = new Map<string, string>();
  #added = 0;

  constructor(
    private readonly state: BackState,
    private readonly kind: RecordKind<T>,
  ) {}

  /** Notes what has become of a record, and reports it if it was not written. */
  note(record: T, { id, isOld = false, reason }: Written): void {
    if (id === undefined) {
      notWritten(this.state, this.kind.name, record._id, reason);
      return;
    }
    this.keys.set(record._id, id);
    this.state.added[this.kind.name].add(id);
    this.#added += isOld ? 0 : 1;
    // With another id there, the row is not this record: `sync` must not touch it.
    if (id === record._id) {
      this.#digests.set(id, this.kind.digestOf(record));
    }
  }

  /** Remembers the rows, after the transaction. */
  async remember(): Promise<void> {
    this.state.written[this.kind.name].added += this.#added;
    await recordRows(this.state, this.kind.name, [...this.keys.values()], this.#digests);
  }
}
