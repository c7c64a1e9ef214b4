import {
  MyTokensDocument,
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import { authenticated } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { importAccount, importToken } from '../../support/legacy.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer, tokenIdOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp({ TRUST_PROXY: '1' });

/** Somebody with so many tokens, the oldest first. */
async function somebody(tokens = 1): Promise<[string, ...string[]]> {
  const patient = aPatient();
  const api = graphqlApi(app.url);
  const issued: [string, ...string[]] = [authenticated(await api.registerPatient(patient)).token];
  while (issued.length < tokens) {
    issued.push(authenticated(await api.login(patient)).token);
  }
  return issued;
}

const myTokens = async (token: string) => {
  const { body } = await execute(app.url, MyTokensDocument, {}, bearer(token));
  return body.data?.myTokens;
};
const revokeToken = async (token: string, id: string | number) => {
  const { body } = await execute(app.url, RevokeTokenDocument, { id }, bearer(token));
  return body.data?.revokeToken;
};
const revokeOtherTokens = async (token: string) => {
  const { body } = await execute(app.url, RevokeOtherTokensDocument, {}, bearer(token));
  return body.data?.revokeOtherTokens;
};

describe('myTokens', () => {
  test('myTokens lists the tokens of the caller and marks the presented one', async () => {
    const [first, second = ''] = await somebody(2);
    await somebody();
    const shown = await myTokens(second);
    expect(new Set(shown?.map(({ id, current }) => `${id} ${current}`))).toEqual(
      new Set([`${tokenIdOf(first)} false`, `${tokenIdOf(second)} true`]),
    );
  });

  test('myTokens shows where each token was issued', async () => {
    const android = 'Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0';
    const patient = aPatient();
    const registered = graphqlApi(app.url, { 'User-Agent': android, 'X-Forwarded-For': '198.51.100.7' });
    authenticated(await registered.registerPatient(patient));
    const loggedIn = restApi(app.url, {
      'User-Agent': 'curl/8.5.0 \u009b31m',
      'X-Forwarded-For': '2001:db8::7',
    });
    const { token } = authenticated(await loggedIn.login(patient));
    expect(await myTokens(token)).toMatchObject([
      { device: 'curl', ip: '2001:db8:0:0::/64' },
      { device: 'Firefox on Android', ip: '198.51.100.7' },
    ]);
  });

  test('myTokens has null for the origin of a token that has none, or one that cannot be shown', async () => {
    const [token] = await somebody();
    const imported = await importAccount(app.database, '7001');
    const importedToken = await importToken(app.database, { id: '7002', accountId: imported.id });
    expect(await myTokens(importedToken)).toMatchObject([{ device: null, ip: null }]);
    for (const wrong of [7, null, ['curl'], 'x'.repeat(100_000), 'a\u001b[31m']) {
      const { modifiedCount } = await app.database.db
        .collection<{ _id: string }>('access_tokens')
        .updateOne({ _id: tokenIdOf(token) }, { $set: { device: wrong, ip: wrong } });
      expect(modifiedCount).toBe(1);
      expect(await myTokens(token)).toMatchObject([{ device: null, ip: null, current: true }]);
    }
  });
});

describe('revokeToken', () => {
  test('revokeToken revokes a token of the caller', async () => {
    const [first, second = '', third = ''] = await somebody(3);
    expect(await revokeToken(first, tokenIdOf(second))).toBe(true);
    expect(await accountOf(app.url, second)).toBeUndefined();
    expect(await accountOf(app.url, first)).toBeDefined();
    expect(await accountOf(app.url, third)).toBeDefined();
  });

  test('revokeToken gives the same answer for an unknown token and for one of another account', async () => {
    const [mine, gone = ''] = await somebody(2);
    await revokeToken(mine, tokenIdOf(gone));
    for (const id of [tokenIdOf(gone), 'unknown', '', '{"$ne":""}']) {
      expect(await revokeToken(mine, id)).toBe(false);
    }
  });

  test('revokeToken accepts the number of an imported token as text or number', async () => {
    const { id: accountId } = await importAccount(app.database, '1');
    const presented = await importToken(app.database, { id: '20', accountId });
    await importToken(app.database, { id: '21', accountId });
    await importToken(app.database, { id: '22', accountId });
    expect(await revokeToken(presented, '21')).toBe(true);
    expect(await revokeToken(presented, 22)).toBe(true);
    expect(await myTokens(presented)).toMatchObject([{ id: '20', current: true }]);
  });
});

describe('revokeOtherTokens', () => {
  test('revokeOtherTokens revokes all tokens but the presented one and returns their number', async () => {
    const [first, second = '', third = ''] = await somebody(3);
    const [bystander] = await somebody();
    expect(await revokeOtherTokens(second)).toBe(2);
    expect(await revokeOtherTokens(second)).toBe(0);
    for (const revoked of [first, third]) {
      expect(await accountOf(app.url, revoked)).toBeUndefined();
    }
    for (const kept of [second, bystander]) {
      expect(await accountOf(app.url, kept)).toBeDefined();
    }
  });
});
