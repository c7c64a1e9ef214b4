import { RevokeTokenDocument } from '../../../packages/client/src/generated/graphql.ts';
import { throughEachApi } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, succeeded } from '../../support/expectations.ts';
import { execute } from '../../support/graphql-api.ts';
import { comparable } from '../../support/http.ts';
import { importAccount, importedToken, importToken, sanctumSecret } from '../../support/legacy.ts';
import { aPatient } from '../../support/people.ts';
import { PHP_MADE_TOKENS } from '../../support/php-made.ts';
import { auditEvents } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

/** Forms of ids in legacy services: numbers, UUIDs, ULIDs. */
const IDS = ['9223372036854775807', '0190163d-8694-739b-aea5-966c26f8ad91', '01J0B3V1MPEZ0WPDNR4VXZK7CW'];
const A_MINUTE_MILLIS = 60_000;
/** When uses are written: TICK_MILLIS of src/auth/tokens/token-uses.ts. */
const WRITE_USES_MILLIS = 1_000;

beforeEach(() => app.database.accounts.deleteMany({}));
beforeEach(() => app.database.tokens.deleteMany({}));

throughEachApi((apiOf) => {
  const logout = (token: string) => apiOf(app.url).logout(`Bearer ${token}`);

  describe.each(PHP_MADE_TOKENS)('a token of $name', ({ id, secret }) => {
    test.each([
      ['with its id', `${id}|${secret}`],
      ['as its secret alone', secret],
    ])('is valid %s, and can log out', async (_name, presented) => {
      await importAccount(app.database, '1');
      await importToken(app.database, { id, accountId: '1', secret });
      expect(await accountOf(app.url, presented)).toMatchObject({ id: '1' });
      succeeded(await logout(presented));
      expect(await accountOf(app.url, presented)).toBeUndefined();
      expect(await app.database.tokens.countDocuments()).toBe(0);
    });
  });

  test.each(IDS)('a token with the id %s is valid', async (id) => {
    await importAccount(app.database, '1');
    const token = await importToken(app.database, { id, accountId: '1' });
    succeeded(await logout(token));
  });

  test('the secret alone of a token that was not imported gets the answer to an unknown token', async () => {
    const { token } = authenticated(await apiOf(app.url).registerPatient(aPatient()));
    const secret = token.split('|')[1] ?? '';
    const refusal = refused(await logout(secret), 'unauthenticated');
    const unknown = refused(await logout(sanctumSecret()), 'unauthenticated');
    expect(comparable(refusal.http)).toEqual(comparable(unknown.http));
    expect(await accountOf(app.url, token)).toBeDefined();
  });

  test('a secret belongs to its own account alone', async () => {
    const [mine, theirs] = [PHP_MADE_TOKENS[0], PHP_MADE_TOKENS[3]];
    await importAccount(app.database, '1');
    await importAccount(app.database, '2');
    await importToken(app.database, { ...mine, accountId: '1' });
    await importToken(app.database, { ...theirs, accountId: '2' });
    expect(await accountOf(app.url, theirs.secret)).toMatchObject({ id: '2' });
    refused(await logout(`${mine.id}|${theirs.secret}`), 'unauthenticated');
    refused(await logout(`${theirs.id}|${mine.secret}`), 'unauthenticated');
  });

  test('neither an expired token nor one of a disabled account is valid, with its id or as its secret alone', async () => {
    const [expired, disabled] = [PHP_MADE_TOKENS[0], PHP_MADE_TOKENS[1]];
    await importAccount(app.database, '1');
    await importAccount(app.database, '2');
    await app.database.accounts.updateOne({ _id: '2' }, { $set: { disabledAt: new Date() } });
    const expiresAt = new Date(testClock.now() - A_MINUTE_MILLIS);
    await importToken(app.database, { ...expired, accountId: '1', expiresAt });
    await importToken(app.database, { ...disabled, accountId: '2' });
    for (const { id, secret } of [expired, disabled]) {
      refused(await logout(`${id}|${secret}`), 'unauthenticated');
      refused(await logout(secret), 'unauthenticated');
    }
  });
});

test('simultaneous requests with secrets alone and with ids each get their own account', async () => {
  const people = Array.from({ length: 40 }, (_, index) => {
    const entropy = String(index).padStart(40, 'x');
    return { id: String(index), secret: index % 3 === 0 ? entropy : sanctumSecret('', entropy) };
  });
  await Promise.all(people.map(({ id }) => importAccount(app.database, id)));
  await app.database.tokens.insertMany(
    people.map(({ id, secret }) => importedToken({ id, accountId: id, secret })),
  );
  const presented = people.map(({ id, secret }, index) => (index % 2 === 0 ? secret : `${id}|${secret}`));
  const found = await Promise.all(presented.map((token) => accountOf(app.url, token)));
  expect(found.map((account) => account?.id)).toEqual(people.map(({ id }) => id));
});

test('the use of a secret alone is noted, and its events have the id of its token and not the secret', async () => {
  const { secret } = PHP_MADE_TOKENS[2];
  const id = 'noted';
  await importAccount(app.database, '1');
  await importToken(app.database, { id, accountId: '1', secret });
  await accountOf(app.url, secret);
  await testClock.advance(WRITE_USES_MILLIS);
  await eventually(async () => {
    const stored = await app.database.tokens.findOne({ _id: id });
    expect(stored?.lastUsedAt).toEqual(expect.any(Date));
  });
  succeeded(await restApi(app.url).logout(`Bearer ${secret}`));
  const events = await auditEvents(app).find({ tokenId: id }).toArray();
  expect(events).toEqual([expect.objectContaining({ act: 'logout', accountId: '1' })]);
  expect(JSON.stringify(events)).not.toContain(secret);
});

test('a secret alone can revoke its own token', async () => {
  const { id, secret } = PHP_MADE_TOKENS[4];
  await importAccount(app.database, '1');
  await importToken(app.database, { id, accountId: '1', secret });
  const { body } = await execute(app.url, RevokeTokenDocument, { id }, bearer(secret));
  expect(body.data).toEqual({ revokeToken: true });
  expect(await accountOf(app.url, secret)).toBeUndefined();
});
