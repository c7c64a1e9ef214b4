import { authenticated } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, tokenIdOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

// OWASP ASVS 7.1.2: a limit on the sessions of an account.
const MOST = 3;
const app = useTestApp({ MAX_TOKENS_PER_ACCOUNT: String(MOST) });

const tokenIdsOf = (accountId: string) => app.database.tokens.distinct('_id', { accountId });
const revocationsOf = (accountId: string) =>
  auditEvents(app).find({ accountId, act: 'revocation' }).sort({ _id: 1 }).toArray();

/** Adds tokens that the app has not issued, each with an id and a time of issue. */
async function addTokens(accountId: string, issues: [string, Date | null][]) {
  const kind = {
    name: 'auth-token',
    abilities: null,
    lastUsedAt: null,
    expiresAt: null,
    idleExpiresAt: null,
  };
  const tokens = issues.map(([_id, createdAt]) => ({ ...kind, _id, accountId, createdAt, secretHash: _id }));
  // Only an import leaves out the time of issue.
  await app.database.tokens.insertMany(tokens as Parameters<typeof app.database.tokens.insertMany>[0]);
}

async function registered() {
  const patient = aPatient();
  const { account, token } = authenticated(await restApi(app.url).registerPatient(patient));
  const login = async () => authenticated(await restApi(app.url).login(patient)).token;
  return { id: account.id, token, login };
}

test('a login over the limit ends the oldest session, and the trail names it', async () => {
  const { id, token, login } = await registered();
  const tokens = [token];
  for (let time = 0; time < 4; time += 1) {
    tokens.push(await login());
  }
  const known = await Promise.all(tokens.map((each) => accountOf(app.url, each)));
  expect(known.map((account) => account !== undefined)).toEqual([false, false, true, true, true]);
  const [first = '', second = ''] = tokens.map(tokenIdOf);
  const revocation = { outcome: 'success', reason: 'more than MAX_TOKENS_PER_ACCOUNT', revoked: 1 };
  expect(await revocationsOf(id)).toMatchObject([
    { ...revocation, tokenId: first },
    { ...revocation, tokenId: second },
  ]);
});

test('twenty simultaneous logins all succeed, and at most the limit of sessions is left', async () => {
  const { id, login } = await registered();
  const tokens = await Promise.all(Array.from({ length: 20 }, login));
  const left = await tokenIdsOf(id);
  expect(left).toHaveLength(MOST);
  const known = await Promise.all(tokens.map((each) => accountOf(app.url, each)));
  expect(known.filter((account) => account !== undefined)).toHaveLength(MOST);
  const revoked = (await revocationsOf(id)).reduce((total, event) => total + (event.revoked ?? 0), 0);
  expect(revoked).toBe(21 - MOST);
});

/** An account without tokens. */
async function withoutTokens() {
  const patient = aPatient();
  const { account } = authenticated(await restApi(app.url).registerPatient(patient));
  await app.database.tokens.deleteMany({ accountId: account.id });
  const login = async () => tokenIdOf(authenticated(await restApi(app.url).login(patient)).token);
  return { id: account.id, login };
}

test('imported tokens without a time of issue are the oldest', async () => {
  const { id, login } = await withoutTokens();
  await addTokens(id, [
    ['91', null],
    ['92', null],
    ['93', null],
    ['90', new Date('2024-01-01')],
  ]);
  const fresh = await login();
  expect((await tokenIdsOf(id)).sort()).toEqual(['90', '93', fresh].sort());
});

test('tokens that were issued before the clock was set back do not outlive new ones', async () => {
  const { id, login } = await withoutTokens();
  const future = new Date('2099-01-01');
  await addTokens(id, [
    ['future 1', future],
    ['future 2', future],
    ['future 3', future],
  ]);
  const fresh = [await login(), await login(), await login()];
  expect((await tokenIdsOf(id)).sort()).toEqual(fresh.sort());
});

test('the first login under a new limit ends hundreds of older sessions', async () => {
  const { id, login } = await withoutTokens();
  const old = Array.from({ length: 300 }, (_, n): [string, Date] => [`late ${n}`, new Date(n)]);
  await addTokens(id, old);
  const fresh = await login();
  expect((await tokenIdsOf(id)).sort()).toEqual(['late 298', 'late 299', fresh].sort());
  expect(await revocationsOf(id)).toMatchObject([{ tokenId: null, revoked: 298 }]);
});

test('a login over the limit ends no session of another account', async () => {
  const [mine, theirs] = [await withoutTokens(), await withoutTokens()];
  const kept = [await theirs.login(), await theirs.login(), await theirs.login()];
  for (let time = 0; time < MOST + 1; time += 1) {
    await mine.login();
  }
  expect((await tokenIdsOf(theirs.id)).sort()).toEqual(kept.sort());
});
