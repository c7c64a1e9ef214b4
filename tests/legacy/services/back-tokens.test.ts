import { authenticated } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addToken, useMariaDb } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { countsIn, type Move, reasonsIn, startMove } from '../support/move.ts';

const { argon2id, cost12 } = LEGACY_ACCOUNTS;

const database = useMariaDb();
let move: Move;
afterEach(() => move.stop());

const back = () => move.done('back', '--files', move.legacy.filesDir, '--yes');
const tokensThere = () => move.query<{ id: number }>('SELECT id, expires_at FROM personal_access_tokens');

async function start(settings: Record<string, string> = {}): Promise<void> {
  move = await startMove({ ID_FORMAT: 'integer', ...settings }, database);
  await move.import();
}

const DAY_MINUTES = '1440';
const today = () => new Date().toISOString().slice(0, 19).replace('T', ' ');

test.each([
  ['TOKEN_LIFETIME_MINUTES', { createdAt: today() }],
  ['TOKEN_IDLE_MINUTES', { lastUsedAt: today() }],
])('tokens that ended here only by %s never become valid there', async (setting, fields) => {
  await start({ [setting]: DAY_MINUTES });
  const young = { ...LEGACY_TOKENS.used, id: 500, hash: 'd'.repeat(64), ...fields };
  await addToken(move.query, young);
  await move.sync();
  const { tokens } = move.app.database;
  const imported = (await tokens.find({ imported: true }).toArray()).map(({ _id }) => Number(_id));
  expect(imported).toContain(LEGACY_TOKENS.expiring.id);
  const { token: issued = '' } = authenticated(
    await restApi(move.app.url).registerPatient(aPatient({ phone: '+1 555 1111' })),
  );
  // The setting came after it was issued.
  const old = { createdAt: new Date(1), expiresAt: null, idleExpiresAt: null };
  await tokens.updateOne({ _id: issued.split('|')[0] ?? '' }, { $set: old });

  expect(countsIn(await back())).toEqual({ 'accounts added': 1, 'tokens removed': imported.length - 1 });

  const there = (await tokensThere()).map(({ id }) => id);
  expect(there.filter((id) => imported.includes(id))).toEqual([young.id]);
  expect(there).not.toContain(Number(issued.split('|')[0]));
  expect(countsIn(await back())).toEqual({});
  expect(countsIn(await move.sync())).toEqual({});
});

test('the lifetimes of staff end the tokens of a reviewer there, and no others', async () => {
  await start();
  const { accounts, tokens } = move.app.database;
  const ofReviewer = { accountId: String(cost12.id) };
  await addToken(move.query, { ...LEGACY_TOKENS.used, id: 500, accountId: cost12.id, hash: 'd'.repeat(64) });
  await move.sync();
  await accounts.updateOne({ _id: ofReviewer.accountId }, { $set: { role: 'reviewer' } });
  const before = (await tokensThere()).map(({ id }) => id);
  const ended = (await tokens.find(ofReviewer).toArray()).map(({ _id }) => Number(_id));
  expect(ended).toContain(500);

  expect(countsIn(await back())['tokens removed']).toBe(ended.length);

  const there = (await tokensThere()).map(({ id }) => id);
  expect(there).toEqual(before.filter((id) => !ended.includes(id)));
});

test('tokens of accounts that are gone there are named: old ones stay there, new ones stay here', async () => {
  await start();
  const { token = '' } = authenticated(
    await restApi(move.app.url).login({ email: cost12.email, password: cost12.password }),
  );
  await move.query("UPDATE accounts SET role = 'admin' WHERE id = ?", [cost12.id]);
  await move.query('DELETE FROM accounts WHERE id = ?', [argon2id.id]);
  await move.sync();
  const before = await tokensThere();

  const result = await back();

  const [id] = token.split('|');
  expect(reasonsIn(result)).toEqual([
    `tokens ${LEGACY_TOKENS.withoutDates.id}: its account is gone there; it is valid there again if the account returns`,
    `tokens ${id}: its account is gone there, or has a role there that does not move`,
  ]);
  expect([countsIn(result), await tokensThere()]).toEqual([{}, before]);
});
