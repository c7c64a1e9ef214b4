import { MyTokensDocument } from '../../../packages/client/src/generated/graphql.ts';
import type { StoredAccessToken } from '../../../src/stores/access-tokens.ts';
import { throughEachApi } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, succeeded } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { comparable } from '../../support/http.ts';
import { importAccount, importToken, sanctumSecret } from '../../support/legacy.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer, tokenIdOf } from '../../support/session.ts';
import { createTestApp, testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp({ TOKEN_LIFETIME_MINUTES: '60', TOKEN_IDLE_MINUTES: '10' });

const minutesAgo = (minutes: number) => new Date(testClock.now() - minutes * 60_000);
const recordOf = (token: string) => app.database.tokens.findOne({ _id: tokenIdOf(token) });

/** Writes another past into a token's record. */
const rewrite = (token: string, fields: Partial<StoredAccessToken>) =>
  app.database.tokens.updateOne({ _id: tokenIdOf(token) }, { $set: fields });

/** A token that has not been used yet, with a past of its own. */
async function tokenWith(fields: Partial<StoredAccessToken>): Promise<string> {
  const { token } = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  await rewrite(token, fields);
  return token;
}

const myTokens = async (token: string) => {
  const { body } = await execute(app.url, MyTokensDocument, {}, bearer(token));
  return body.data?.myTokens;
};

throughEachApi((apiOf) => {
  test('a new token has a time of expiry', async () => {
    const api = apiOf(app.url);
    const patient = aPatient();
    const issued = [
      authenticated(await api.registerDoctor(aDoctor())),
      authenticated(await api.registerPatient(patient)),
      authenticated(await api.login(patient)),
    ];
    for (const { token } of issued) {
      const record = await recordOf(token);
      expect(record?.expiresAt).toEqual(new Date((record?.createdAt?.getTime() ?? 0) + 60 * 60_000));
    }
  });

  const used = { lastUsedAt: minutesAgo(1) };
  test.each<[string, Partial<StoredAccessToken>]>([
    ['its lifetime is over', { ...used, createdAt: minutesAgo(61) }],
    ['it was issued before there was a lifetime', { ...used, createdAt: minutesAgo(61), expiresAt: null }],
    ['its own end comes before', { ...used, expiresAt: minutesAgo(1) }],
    ['it has not been used for too long', { createdAt: minutesAgo(50), lastUsedAt: minutesAgo(11) }],
    ['it was never used', { createdAt: minutesAgo(11) }],
  ])('a token gets the answer to an unknown one once %s', async (_, fields) => {
    const logout = (token: string) => apiOf(app.url).logout(`Bearer ${token}`);
    const over = refused(await logout(await tokenWith(fields)), 'unauthenticated');
    const unknown = refused(await logout(`unknown|${sanctumSecret()}`), 'unauthenticated');
    expect(comparable(over.http)).toEqual(comparable(unknown.http));
  });

  test('a token that is neither too old nor idle for too long is valid', async () => {
    const token = await tokenWith({ createdAt: minutesAgo(59), lastUsedAt: minutesAgo(9) });
    succeeded(await apiOf(app.url).logout(`Bearer ${token}`));
  });
});

test('the lifetimes hold for imported tokens', async () => {
  const { id: accountId } = await importAccount(app.database, '1');
  const token = await importToken(app.database, { id: '7', accountId });
  expect(await accountOf(app.url, token)).toBeUndefined();
  await rewrite(token, { createdAt: minutesAgo(1) });
  expect(await accountOf(app.url, token)).toMatchObject({ id: accountId });
});

test('an imported token without a time of issue is valid only if there is no lifetime', async () => {
  const { id: accountId } = await importAccount(app.database, '2');
  const token = await importToken(app.database, { id: '8', accountId });
  await app.database.tokens.updateOne({ _id: '8' }, { $unset: { createdAt: true } });
  refused(await restApi(app.url).logout(`Bearer ${token}`), 'unauthenticated');
  const patient = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  await app.database.tokens.updateOne({ _id: '8' }, { $set: { accountId: patient.account.id } });
  expect(await myTokens(patient.token)).toMatchObject([{ current: true }]);
  const unlimited = await createTestApp({}, () => app.database.uri);
  try {
    const shown = await execute(unlimited.url, MyTokensDocument, {}, bearer(token));
    expect(shown.body.data?.myTokens).toHaveLength(2);
  } finally {
    await unlimited.stop();
  }
});

test('myTokens shows valid tokens with their last use and their earliest certain end', async () => {
  const patient = aPatient();
  const { account, token } = authenticated(await graphqlApi(app.url).registerPatient(patient));
  const createdAt = minutesAgo(5);
  const add = async (fields: Partial<StoredAccessToken>) => {
    const another = authenticated(await graphqlApi(app.url).login(patient)).token;
    await rewrite(another, { createdAt, ...fields });
    return { id: tokenIdOf(another), lastUsedAt: null };
  };
  await add({ createdAt: minutesAgo(61), lastUsedAt: minutesAgo(1) });
  await add({ createdAt: minutesAgo(11) });
  const sooner = new Date(testClock.now() + 60_000);
  const unlimited = await add({ expiresAt: null });
  const ending = await add({ expiresAt: sooner });
  const shown = await myTokens(token);
  expect(new Set(shown?.map(({ id }) => id))).toEqual(new Set([tokenIdOf(token), unlimited.id, ending.id]));
  const end = new Date(createdAt.getTime() + 60 * 60_000).toISOString();
  expect(shown).toContainEqual(expect.objectContaining({ ...unlimited, expiresAt: end }));
  expect(shown).toContainEqual(expect.objectContaining({ ...ending, expiresAt: sooner.toISOString() }));
  const current = shown?.find(({ id }) => id === tokenIdOf(token));
  expect(current?.lastUsedAt).toBe(new Date(testClock.now()).toISOString());
  expect(account.email).toBe(patient.email);
});

describe('the last use of a token', () => {
  /** The gateway looks for unwritten uses once a second. */
  const WRITTEN_AFTER_MILLIS = 1_000;

  test('the gateway soon writes the last use of a token and the time of its removal', async () => {
    const token = await tokenWith({ lastUsedAt: minutesAgo(9), idleExpiresAt: minutesAgo(-1) });
    const usedAt = new Date(testClock.now());
    await accountOf(app.url, token);
    await testClock.advance(WRITTEN_AFTER_MILLIS);
    await eventually(async () => {
      const { lastUsedAt, idleExpiresAt } = (await recordOf(token)) ?? {};
      expect(lastUsedAt).toEqual(usedAt);
      // Not before it is over for whichever instance.
      expect(idleExpiresAt?.getTime()).toBeGreaterThan((lastUsedAt?.getTime() ?? 0) + 10 * 60_000);
    });
  });

  test('the last use of a token counts before it is written', async () => {
    const token = await tokenWith({ createdAt: minutesAgo(30), lastUsedAt: minutesAgo(9) });
    expect(await accountOf(app.url, token)).toBeDefined();
    await rewrite(token, { lastUsedAt: minutesAgo(11) });
    expect(await accountOf(app.url, token)).toBeDefined();
  });

  test('a refused token has no last use', async () => {
    const lastUsedAt = minutesAgo(11);
    const token = await tokenWith({ lastUsedAt });
    const another = await tokenWith({});
    await accountOf(app.url, token);
    await accountOf(app.url, another);
    await testClock.advance(WRITTEN_AFTER_MILLIS);
    await eventually(async () => expect((await recordOf(another))?.lastUsedAt).not.toBeNull());
    expect((await recordOf(token))?.lastUsedAt).toEqual(lastUsedAt);
  });

  test('the use of a token without an idle lifetime removes the end that an earlier setting gave', async () => {
    const other = await createTestApp();
    try {
      const { token } = authenticated(await graphqlApi(other.url).registerPatient(aPatient()));
      const one = { _id: tokenIdOf(token) };
      await other.database.tokens.updateOne(one, { $set: { idleExpiresAt: minutesAgo(-5) } });
      expect(await accountOf(other.url, token)).toBeDefined();
      await testClock.advance(WRITTEN_AFTER_MILLIS);
      await eventually(async () => {
        const record = await other.database.tokens.findOne(one);
        expect(record).toMatchObject({ lastUsedAt: expect.any(Date), idleExpiresAt: null });
      });
    } finally {
      await other.stop();
    }
  });
});
