import type { AuditEvent, AuditEventModel, AuditedAct } from './audit-events.ts';

/** An act that ended the token with this id; null: all tokens of the account, or of all accounts. */
export type TokenEnding = Pick<AuditEvent, 'at' | 'accountId' | 'tokenId'>;

/** The acts that end tokens. */
const ENDING_ACTS: AuditedAct[] = [
  'logout',
  'revocation',
  'password change',
  'password reset',
  'disabling',
  'closing',
];
/** An act without an answer of the database may have been done. */
const OUTCOMES = ['success', 'unknown'] as const;

/** The acts by which tokens of these accounts were ended, in any order. */
export const tokenEndings = async (
  events: AuditEventModel,
  accountIds: readonly string[],
): Promise<TokenEnding[]> =>
  accountIds.length === 0 ? [] : findEndings(events, { accountId: { $in: [...accountIds] } });

/** An operator may revoke the tokens of all accounts at once. Such an event has neither an account nor an e-mail. */
export const endingsOfEveryone = (events: AuditEventModel): Promise<TokenEnding[]> =>
  findEndings(events, { emailDigest: null, accountId: null });

async function findEndings({ collection }: AuditEventModel, whose: object): Promise<TokenEnding[]> {
  // A change of the password may leave all tokens. Where the number is not known, it may have ended all.
  const revoked = { $ne: 0 };
  const filter = { ...whose, act: { $in: ENDING_ACTS }, outcome: { $in: OUTCOMES }, revoked };
  const projection = { at: 1, accountId: 1, tokenId: 1 };
  const found = await collection.find<TokenEnding>(filter, { projection }).toArray();
  return found.map(({ at, accountId, tokenId = null }) => ({ at, accountId, tokenId }));
}
