import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { TokenEnding } from '../../stores/audit-events.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS, isDisabledHere } from '../records/account-kind.ts';

/** The clocks of the legacy service and of the gateway may differ by that much. */
const CLOCK_SLACK_MILLIS = 60_000;

const REVOKED = 'it was revoked here';
const EXPIRED = 'it has expired';

/**
 * Looks for the reasons why imported tokens are not here any more: an event of the audit trail, the state of their account, or
 * their time.
 * @param tokens what their rows say
 * @returns the reasons by the ids of the tokens. Nothing is known of the others
 */
export async function recordedEnds(
  context: LegacyContext,
  tokens: readonly StoredAccessToken[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  const unexplained = () => tokens.filter(({ _id }) => !reasons.has(_id));
  const explain = (reasonOf: (token: StoredAccessToken) => string | undefined) => {
    for (const token of unexplained()) {
      const reason = reasonOf(token);
      if (reason !== undefined) {
        reasons.set(token._id, reason);
      }
    }
  };
  explain((token) => (isTimeOver(context, token) ? EXPIRED : undefined));
  const ids = [...new Set(unexplained().map(({ accountId }) => accountId))];
  const closed = await closedAccounts(context, ids);
  explain(({ accountId }) => closed.get(accountId));
  const endings = await endingsOf(context, ids);
  explain((token) =>
    endings.get(token.accountId)?.some((one) => hasEnded(one, token)) ? REVOKED : undefined,
  );
  if (unexplained().length > 0) {
    const everyones = await context.stores.auditEvents.endingsOfEveryone();
    explain((token) => (everyones.some((one) => hasEnded(one, token)) ? REVOKED : undefined));
  }
  return reasons;
}

/** The database removes a token when its time is over. When its idle time began here is not known any more. */
function isTimeOver(
  { clock, tokenIdleMillis }: LegacyContext,
  { createdAt, expiresAt }: StoredAccessToken,
): boolean {
  const now = clock.now();
  const isIdle = tokenIdleMillis !== undefined && Number(createdAt) + tokenIdleMillis <= now;
  return isIdle || (expiresAt !== null && expiresAt.getTime() <= now);
}

/** The reasons why accounts have no tokens, by their ids. */
async function closedAccounts(
  { stores }: LegacyContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const id of ids.length === 0 ? [] : await stores.erasures.ids(ids)) {
    reasons.set(id, 'its account was erased here');
  }
  for (const account of (await ACCOUNTS.stored(stores).byIds(ids)).values()) {
    // An absent account is disabled, too, but keeps its tokens.
    if (isDisabledHere(account)) {
      reasons.set(account._id, 'its account is disabled here');
    }
  }
  return reasons;
}

/** True if the act ended the token, unless the token is younger. */
const hasEnded = ({ at, tokenId }: TokenEnding, { _id, createdAt }: StoredAccessToken): boolean =>
  tokenId === null ? at.getTime() + CLOCK_SLACK_MILLIS >= Number(createdAt) : tokenId === _id;

/** The acts of accounts, by the ids of these. */
async function endingsOf(
  { stores }: LegacyContext,
  ids: readonly string[],
): Promise<Map<string, TokenEnding[]>> {
  const byAccount = new Map<string, TokenEnding[]>(ids.map((id) => [id, []]));
  for (const ending of await stores.auditEvents.endingsOf(ids)) {
    byAccount.get(ending.accountId ?? '')?.push(ending);
  }
  return byAccount;
}
