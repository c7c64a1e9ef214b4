import { newId, type SessionsEnding, type StoredAccount } from './account-record.ts';

/** What an act ends of all that gives access to an account. */
interface Endings {
  /**
   * The ids of the account that are new after it. Links, and an operator's pending change of the e-mail, are bound to the first one.
   * Challenges, an app that waits for its first code and the owner's pending change of the e-mail are bound to the second one.
   */
  renews: 'both' | 'second' | 'none';
  /** Its access tokens: all, all but that of the caller, or those that the caller chooses. */
  tokens: 'all' | 'others' | 'chosen' | 'none';
  /** True if links that are bound to an unchanged first id end, too: they are removed. */
  removesLinks?: true;
  /** True if failed logins, right logins and wrong codes start anew. */
  clearsCounts?: true;
}

/**
 * What each act ends. The acts read it, docs/contract.md prints it, and tests/contract/tokens/endings.test.ts plays every pair of an act and
 * of what it may end. An act of a caller's own tokens ends these alone: a stolen token must not cancel what the owner has begun.
 */
export const ENDINGS = {
  'password change': { renews: 'both', tokens: 'chosen', clearsCounts: true },
  'password reset': { renews: 'both', tokens: 'all', clearsCounts: true },
  'e-mail change': { renews: 'both', tokens: 'none' },
  'e-mail proof': { renews: 'none', tokens: 'none' },
  'second factor confirmation': { renews: 'second', tokens: 'others' },
  'second factor removal': { renews: 'second', tokens: 'none' },
  'passkey addition': { renews: 'second', tokens: 'none' },
  'passkey removal': { renews: 'second', tokens: 'none' },
  'recovery codes': { renews: 'none', tokens: 'none' },
  closing: { renews: 'second', tokens: 'all', removesLinks: true },
  logout: { renews: 'none', tokens: 'chosen' },
  'own revocation': { renews: 'none', tokens: 'chosen' },
  // By operators, of other accounts.
  disabling: { renews: 'second', tokens: 'all', removesLinks: true },
  enabling: { renews: 'second', tokens: 'all', removesLinks: true },
  'operator’s revocation': { renews: 'second', tokens: 'all' },
  'operator’s e-mail change request': { renews: 'second', tokens: 'all', removesLinks: true },
  'operator’s reset link': { renews: 'second', tokens: 'none' },
  'second factor reset': { renews: 'both', tokens: 'all', clearsCounts: true },
  unlocking: { renews: 'none', tokens: 'none', clearsCounts: true },
  'set-up': { renews: 'both', tokens: 'none' },
  // By a sync with the legacy service, which decides about the tokens itself.
  'legacy password or e-mail': { renews: 'both', tokens: 'none' },
  'legacy absence': { renews: 'both', tokens: 'none' },
  'legacy return': { renews: 'both', tokens: 'none' },
} as const satisfies Record<string, Endings>;

export type EndingAct = keyof typeof ENDINGS;

export const endingsOf = (act: EndingAct): Endings => ENDINGS[act];

/**
 * The part of an account's update that ends what an act ends. It is in the same write as the act, so no kill comes between them.
 * @param sessions the end of access tokens, if the act ends some of them
 */
export function renewalBy(act: EndingAct, sessions?: SessionsEnding) {
  const { renews } = endingsOf(act);
  return {
    ...(renews === 'both' && { 'passwordChange.id': newId() }),
    ...(renews !== 'none' && { accessVersion: newId() }),
    ...(sessions && { 'passwordChange.ending': sessions }),
  };
}

/** A record with what {@link renewalBy} sets, for records that are written as a whole. */
export const renewed = (account: StoredAccount, act: EndingAct): StoredAccount => ({
  ...account,
  ...(endingsOf(act).renews === 'both' && { passwordChange: { ...account.passwordChange, id: newId() } }),
  accessVersion: newId(),
});
