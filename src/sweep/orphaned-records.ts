import { boundedExchange } from '../database/bounded-exchange.ts';
import type { Models } from '../stores/models.ts';
import type { OwnedRecord, Ownership } from '../stores/ownership.ts';
import type { SweptProfiles } from '../stores/swept-profiles.ts';
import type { Clock } from '../system/clock.ts';
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
export const orphanedTokens = ({ tokens }: Models, ownership: Ownership, clock: Clock): Sweepable => ({
  kind: 'access token',
  find: (before, signal) =>
    collectOrphans(ownership.tokensBefore(before), (batch) => withoutAccount(ownership, batch), signal),
  remove: async (id) => {
    const token = await boundedExchange(tokens.findById(id).select('accountId').lean<OwnedRecord>(), clock);
    const isOwned = token && (await ownership.existingAccounts([token.accountId])).size > 0;
    return !isOwned && (await boundedExchange(tokens.deleteOne({ _id: id }), clock)).deletedCount === 1;
  },
});

async function withoutAccount(ownership: Ownership, records: OwnedRecord[]): Promise<string[]> {
  const accounts = await ownership.existingAccounts([...new Set(records.map(({ accountId }) => accountId))]);
  return records.filter(({ accountId }) => !accounts.has(accountId)).map(({ _id }) => _id);
}
