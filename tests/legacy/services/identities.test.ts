import { authenticated } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { aPatient } from '../../support/people.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount, addProfile, addToken } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { useMove } from '../support/move.ts';

const move = useMove({ ID_FORMAT: 'integer' });

/** Two people who get the same id: one registers here, the other one in the legacy service. */
async function sameId(): Promise<{ id: string; tokenId: number }> {
  const { account } = authenticated(await graphqlApi(move.app.url).registerPatient(aPatient()));
  const { query } = move;
  const id = Number(account.id);
  await addAccount(query, { ...LEGACY_ACCOUNTS.doctor, id, email: 'there@example.org', phone: 'there' });
  await addProfile(query, move.legacy.filesDir, { id: 77, user_id: id });
  await addToken(query, {
    ...LEGACY_TOKENS.used,
    id: 700,
    accountId: id,
    plain: `700|${'p'.repeat(40)}`,
    hash: 'c'.repeat(64),
  });
  return { id: account.id, tokenId: 700 };
}

test('a sync gives nobody the tokens and the profile of another account with the same id', async () => {
  const { id, tokenId } = await sameId();
  for (const round of [1, 2]) {
    const { found } = await move.sync();
    expect({ round, found }).toEqual({
      round,
      found:
        round === 1
          ? [`accounts ${id} conflict`, `profiles ${id} not taken`, `tokens ${tokenId} not taken`]
          : [],
    });
    const { profiles, tokens } = move.app.database;
    expect(await profiles.findOne({ _id: id })).toBeNull();
    expect(await tokens.findOne({ _id: String(tokenId) })).toBeNull();
  }
});

test('back gives nobody the tokens of another account with the same id', async () => {
  const { id, tokenId } = await sameId();
  const { found } = await move.back();
  expect(found).toContain(`accounts ${id} not written`);
  const rows = await move.query('SELECT id FROM personal_access_tokens WHERE tokenable_id = ?', [id]);
  expect(rows).toEqual([{ id: tokenId }]);
});
