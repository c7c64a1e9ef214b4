import {
  MyTokensDocument,
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../packages/client/src/generated/graphql.ts';
import { throughEachApi } from '../support/apis.ts';
import { authenticated, refused, registeredDoctor, succeeded } from '../support/expectations.ts';
import { execute } from '../support/graphql-api.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf, bearer, tokenIdOf } from '../support/session.ts';
import { useInstances } from './support/instances.ts';

// Issue by one instance, use at another: nothing of a token is kept in a process, so there is no time in between.
const instances = useInstances();

const authorization = (token: string) => bearer(token).Authorization;

/** Checks that neither instance honours a token, whichever is asked first. */
async function expectRevoked(token: string) {
  const { a, b } = instances;
  for (const url of [a, b, a]) {
    expect(await accountOf(url, token)).toBeUndefined();
  }
}

throughEachApi((apiOf) => {
  test('an account that was registered at one instance is known at the other at once', async () => {
    const { a, b } = instances;
    const patient = aPatient();
    const { account, token } = authenticated(await apiOf(a).registerPatient(patient));
    expect(await accountOf(b, token)).toMatchObject({ id: account.id });
    expect(authenticated(await apiOf(b).login(patient)).account.id).toBe(account.id);
    const doctor = registeredDoctor(await apiOf(b).registerDoctor(aDoctor()));
    expect(await accountOf(a, doctor.token)).toMatchObject({ id: doctor.account.id });
  });

  test('a logout at one instance ends the token at the other at once, and no other token', async () => {
    const { a, b } = instances;
    const patient = aPatient();
    const { token: kept } = authenticated(await apiOf(a).registerPatient(patient));
    for (const [issuer, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const { token } = authenticated(await apiOf(issuer).login(patient));
      // Used at both before: neither may remember that it was good.
      for (const url of [a, b]) {
        expect(await accountOf(url, token)).toBeDefined();
      }
      succeeded(await apiOf(other).logout(authorization(token)));
      refused(await apiOf(issuer).logout(authorization(token)), 'unauthenticated');
      await expectRevoked(token);
      for (const url of [a, b]) {
        expect(await accountOf(url, kept)).toBeDefined();
      }
    }
  });
});

test('revocations at one instance end tokens of both at once', async () => {
  const { a, b } = instances;
  const patient = aPatient();
  const tokens = [authenticated(await restApi(a).registerPatient(patient)).token];
  for (const url of [a, b, b]) {
    tokens.push(authenticated(await restApi(url).login(patient)).token);
  }
  const [first = '', second = '', third = '', mine = ''] = tokens;
  expect((await execute(a, MyTokensDocument, {}, bearer(first))).body.data?.myTokens).toHaveLength(4);
  const revoked = await execute(b, RevokeTokenDocument, { id: tokenIdOf(first) }, bearer(mine));
  expect(revoked.body.data?.revokeToken).toBe(true);
  await expectRevoked(first);
  for (const token of [second, third]) {
    expect(await accountOf(a, token)).toBeDefined();
  }
  const { body } = await execute(b, RevokeOtherTokensDocument, {}, bearer(mine));
  expect(body.data?.revokeOtherTokens).toBe(2);
  for (const token of [second, third]) {
    await expectRevoked(token);
  }
  for (const url of [a, b]) {
    expect(await accountOf(url, mine)).toBeDefined();
  }
});
