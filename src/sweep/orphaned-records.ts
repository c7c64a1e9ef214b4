import type { AccessTokenStore } from '../stores/access-tokens/access-tokens.ts';
import type { OwnedRecord } from '../stores/created-before.ts';
import type { Ownership } from '../stores/ownership.ts';
import type { SweptProfiles } from '../stores/swept-profiles.ts';
import { collectOrphans, type Sweepable } from './sweepable.ts';

/** Profiles whose account does not exist. They go to the trash. */
export const orphanedProfiles = (swept: SweptProfiles, ownership: Ownership): Sweepable => ({
  kind: 'profile',
  find: (before, signal) =>
    collectOrphans(ownership.profilesBefore(before), (batch) => withoutAccount(ownership, batch), signal),
  remove: async (id) => {
    const isOwned = (await ownership.existingAccounts([id])).has(id);
    return !isOwned && swept.put(id);
  },
});

/** Access tokens whose account does not exist. They are not valid, and never will be. */
export const orphanedTokens = (tokens: AccessTokenStore, ownership: Ownership): Sweepable => ({
  kind: 'access token',
  find: (before, signal) =>
    collectOrphans(tokens.createdBefore(before), (batch) => withoutAccount(ownership, batch), signal),
  remove: async (id) => {
    const owner = await tokens.ownerOf(id);
    const isOwned = owner !== undefined && (await ownership.existingAccounts([owner])).size > 0;
    return !isOwned && tokens.remove(id);
  },
});

async function withoutAccount(ownership: Ownership, records: OwnedRecord[]): Promise<string[]> {
  const accounts = await ownership.existingAccounts([...new Set(records.map(({ accountId }) => accountId))]);
  return records.filter(({ accountId }) => !accounts.has(accountId)).map(({ _id }) => _id);
}
