import {
  MyTokensDocument,
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../packages/client/src/generated/graphql.ts';
import { throughEachApi } from '../support/apis.ts';
import { authenticated, refused, registeredDoctor, succeeded } from '../support/expectations.ts';
import { execute } from '../support/graphql-api.ts';
import { aDoctor, aPatient } from '../support/people.ts';
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

  test('exactly one of simultaneous logouts with one token at both instances succeeds', async () => {
    const { a, b } = instances;
    const patient = aPatient();
    authenticated(await apiOf(a).registerPatient(patient));
    for (let round = 0; round < 20; round += 1) {
      const { token } = authenticated(await apiOf(a).login(patient));
      const outcomes = await Promise.all([a, b, a, b].map((url) => apiOf(url).logout(authorization(token))));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      for (const outcome of outcomes) {
        if (!outcome.ok) {
          refused(outcome, 'unauthenticated');
        }
      }
    }
  });

  test('each of many tokens that log out at both instances at once logs out exactly once', async () => {
    const { a, b } = instances;
    const patient = aPatient();
    authenticated(await apiOf(a).registerPatient(patient));
    const logins = await Promise.all(Array.from({ length: 8 }, () => apiOf(a).login(patient)));
    const tokens = logins.map((login) => authenticated(login).token);
    // In two orders, so that the instances meet in the middle.
    const logouts = [...tokens.map((token) => [a, token]), ...tokens.map((token) => [b, token]).reverse()];
    const outcomes = await Promise.all(
      logouts.map(([url = '', token = '']) => apiOf(url).logout(authorization(token))),
    );
    for (const token of tokens) {
      const own = outcomes.filter((_, index) => logouts[index]?.[1] === token);
      expect(own.filter(({ ok }) => ok)).toHaveLength(1);
    }
  });

  test('revokeToken at one instance ends a token of the other at once', async () => {
    const { a, b } = instances;
    const patient = aPatient();
    const { token } = authenticated(await apiOf(a).registerPatient(patient));
    const { token: mine } = authenticated(await apiOf(b).login(patient));
    expect(await accountOf(a, token)).toBeDefined();
    const { body } = await execute(b, RevokeTokenDocument, { id: tokenIdOf(token) }, bearer(mine));
    expect(body.data?.revokeToken).toBe(true);
    await expectRevoked(token);
    expect(await accountOf(a, mine)).toBeDefined();
  });

  test('revokeOtherTokens at one instance ends the other tokens of both at once', async () => {
    const { a, b } = instances;
    const patient = aPatient();
    const { token: first } = authenticated(await apiOf(a).registerPatient(patient));
    const { token: second } = authenticated(await apiOf(b).login(patient));
    const { token: mine } = authenticated(await apiOf(a).login(patient));
    expect((await execute(a, MyTokensDocument, {}, bearer(second))).body.data?.myTokens).toHaveLength(3);
    const { body } = await execute(b, RevokeOtherTokensDocument, {}, bearer(mine));
    expect(body.data?.revokeOtherTokens).toBe(2);
    for (const token of [first, second]) {
      await expectRevoked(token);
    }
    for (const url of [a, b]) {
      expect(await accountOf(url, mine)).toBeDefined();
    }
  });
});
