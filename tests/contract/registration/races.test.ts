import { type Api, type Outcome, throughEachApi } from '../../support/apis.ts';
import { named } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { authenticated, expectInvalid } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { aDoctor, aPatient, freshEmail } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { expectQuarantineEmpty, inventoryOf, storedDocuments } from '../../support/test-app.ts';

const behind = useProxiedApp();

/** Checks that exactly one registration succeeds, and that every other one gets 422. Returns the one. */
function theOneAmong(outcomes: Outcome[]) {
  const [winner, ...others] = outcomes.filter((outcome) => outcome.ok);
  if (!winner || others.length > 0) {
    throw new Error(`${winner ? 1 + others.length : 0} of the racers have won`);
  }
  for (const loser of outcomes.filter((outcome) => !outcome.ok)) {
    expectInvalid(loser, { email: ['The email has already been taken.'] });
  }
  return authenticated(winner);
}

/** Spells every other e-mail in capitals. It is the same e-mail. */
const spelled = (email: string, index: number) => (index % 2 === 0 ? email : email.toUpperCase());

const HELD_RACERS = 20;

const simultaneously = (times: number, register: (index: number) => Promise<Outcome>) =>
  Promise.all(Array.from({ length: times }, (_, index) => register(index)));

throughEachApi((apiOf) => {
  test('returns 422 to every registration that the unique index refuses', async () => {
    const { app, proxy } = behind;
    const before = await inventoryOf(app);
    const email = freshEmail();

    // All have found the e-mail free before any of them inserts it.
    const inserts = proxy.hold(named('insert accounts'));
    const registrations = simultaneously(HELD_RACERS, (index) =>
      apiOf(app.url).registerPatient(aPatient({ email: spelled(email, index) })),
    );
    await inserts.arrived(HELD_RACERS);
    inserts.release();

    const { account, token } = theOneAmong(await registrations);
    expect(await accountOf(app.url, token)).toMatchObject({ id: account.id });
    expect(await inventoryOf(app)).toEqual({
      ...before,
      accounts: before.accounts + 1,
      tokens: before.tokens + 1,
    });
  });

  test('returns 422 to every loser among twelve doctors who register one e-mail at once, and keeps nothing of them', async () => {
    const { app } = behind;
    const before = await inventoryOf(app);
    const email = freshEmail();
    const outcomes = await simultaneously(12, (index) =>
      apiOf(app.url).registerDoctor(aDoctor({ email: spelled(email, index) })),
    );
    const { token } = theOneAmong(outcomes);
    const profile = (await accountOf(app.url, token))?.profile;
    expect(await inventoryOf(app)).toEqual({
      documents: expect.any(Array),
      accounts: before.accounts + 1,
      profiles: before.profiles + 1,
      tokens: before.tokens + 1,
    });
    const added = (await storedDocuments(app)).filter((stored) => !before.documents.includes(stored));
    const urls = [profile?.certificationUrl, profile?.diplomaFileUrl, profile?.licenseFileUrl];
    expect(added.map((stored) => `${app.url}/storage/${stored}`)).toEqual(urls);
    await expectQuarantineEmpty(app.storageDir);
  });
});

test('returns 422 to every loser when doctors and patients register one e-mail through both doors at once', async () => {
  const { app } = behind;
  const email = freshEmail();
  const register = (api: Api, isDoctor: boolean) =>
    isDoctor ? api.registerDoctor(aDoctor({ email })) : api.registerPatient(aPatient({ email }));
  const outcomes = await simultaneously(16, (index) =>
    register(index % 2 === 0 ? restApi(app.url) : graphqlApi(app.url), index % 4 < 2),
  );
  theOneAmong(outcomes);
});
