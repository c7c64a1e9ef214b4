import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { ROLES, type StoredAccount } from '../../stores/accounts.ts';
import type { KeySet } from '../import/key-set.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import { Additions, isIn, newRecords, ownerThere } from './additions.ts';
import { type BackState, isNumber, notWritten } from './back-state.ts';
import { endedTokens } from './ended-tokens.ts';
import type { Written } from './legacy-writer.ts';

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
}

/** The class of accounts in the legacy service: the one that most tokens have. */
async function tokenType({ context: { source } }: BackState): Promise<string> {
  const [first] = (await source.countBy('tokens', 'tokenable_type')).keys();
  return first ?? source.tables.tokenTypes[0] ?? '';
}
