import { ROLES, type StoredAccount } from '../../stores/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors.ts';
import { ACCOUNTS, toPhpHash } from '../records/account-kind.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { Additions, newRecords } from './additions.ts';
import { type BackState, IS_CLOSED, IS_REVIEWER, isClosed, isNumber, legacyKeyOf } from './back-state.ts';
import type { Written } from './legacy-writer.ts';
import { addProfile } from './new-profiles.ts';

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
    const isOurs = row?.values.password === toPhpHash(passwordHash) && (!isNumber(_id) || existing === _id);
    return isOurs
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
        await state.context.bookkeeping.notes.setLegacyKey(id, key);
      }
    }
  }
}
