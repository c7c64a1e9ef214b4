import type { StoredAccessToken } from '../../stores/access-tokens/access-tokens.ts';
import type { KeySet } from '../import/key-set.ts';
import { storedWithIds } from '../records/stored-records.ts';
import { Additions, isIn, newRecords, ownerThere } from './additions.ts';
import { type BackState, isNumber, notWritten } from './back-state.ts';
import { endedTokens } from './ended-tokens.ts';
import { tokenValues } from './legacy-values.ts';
import type { Written } from './legacy-writer.ts';

/**
 * Adds the tokens that were issued here.
 * @param known the keys of the rows of earlier runs
 */
export async function addTokens(state: BackState, known: KeySet): Promise<void> {
  const { writer } = state;
  const type = await tokenType(state);
  const issuedHere = { imported: { $exists: false } };
  for await (const issued of newRecords(state, 'tokens', isIn(known), issuedHere)) {
    const ended = await endedTokens(state, new Map(issued.map((token) => [token._id, token])));
    const valid = issued.filter(({ _id }) => !ended.has(_id));
    const tokens = valid.filter(({ _id }) => isNumber(_id));
    for (const { _id } of valid.filter((token) => !tokens.includes(token))) {
      notWritten(state, 'tokens', _id, 'its id is no number, so the legacy service would refuse it');
    }
    const absent = await ofAbsentAccounts(state, tokens);
    const additions = new Additions(state, 'tokens');
    await writer.transaction(async () => {
      for (const token of tokens) {
        const written: Written = absent.has(token._id)
          ? { reason: 'its account is gone there, or has a role there that does not move' }
          : await addToken(state, token, type);
        additions.note(token, written);
      }
    });
    await additions.remember();
  }
}

/** The role there may be that of an administrator by now, and the token is one of a patient or doctor. */
async function ofAbsentAccounts(
  { context }: BackState,
  tokens: readonly StoredAccessToken[],
): Promise<ReadonlySet<string>> {
  const accounts = await storedWithIds(
    context.models,
    'accounts',
    tokens.map(({ accountId }) => accountId),
  );
  const absent = tokens.filter(({ accountId }) => accounts.get(accountId)?.legacyAbsence);
  return new Set(absent.map(({ _id }) => _id));
}

async function addToken(state: BackState, token: StoredAccessToken, type: string): Promise<Written> {
  const { writer, writeTime, context, reviewers } = state;
  if (reviewers.has(token.accountId)) {
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
}

/** The class of accounts in the legacy service: the one that most tokens have. */
async function tokenType({ context: { source } }: BackState): Promise<string> {
  const [first] = (await source.countBy('tokens', 'tokenable_type')).keys();
  return first ?? source.tables.tokenTypes[0] ?? '';
}
