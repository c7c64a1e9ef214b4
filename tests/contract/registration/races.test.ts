import { type Door, type Outcome, throughEachDoor } from '../../support/doors.ts';
import { authenticated, expectInvalid } from '../../support/expectations.ts';
import { graphqlDoor } from '../../support/graphql-door.ts';
import { aDoctor, aPatient, freshEmail } from '../../support/people.ts';
import { restDoor } from '../../support/rest-door.ts';
import { accountOf } from '../../support/session.ts';
import { expectQuarantineEmpty, inventoryOf, storedDocuments, useTestApp } from '../../support/test-app.ts';

// Hashes as cheap as elsewhere: most find the e-mail free before anybody has it all the same, so that the index decides.
const app = useTestApp();

/** Says that exactly one had success and everybody else was told that the e-mail is taken, or to come again. */
function theOneAmong(outcomes: Outcome[]) {
  const winners = outcomes.filter((outcome) => outcome.ok);
  expect(winners).toHaveLength(1);
  const losers = outcomes.filter((outcome) => !outcome.ok);
  // On a busy machine the last wait for longer than they may.
  const told = losers.filter(({ kind }) => kind !== 'unavailable');
  expect(told.length).toBeGreaterThan(losers.length / 2);
  for (const loser of told) expectInvalid(loser, { email: ['The email has already been taken.'] });
  return authenticated(winners[0] as Outcome);
}

/** Every other one in capitals: the e-mail is the same. */
const spelled = (email: string, index: number) => (index % 2 === 0 ? email : email.toUpperCase());

const simultaneously = (times: number, register: (index: number) => Promise<Outcome>) =>
  Promise.all(Array.from({ length: times }, (_, index) => register(index)));

throughEachDoor((openDoor) => {
  test('of fifty simultaneous registrations of one e-mail exactly one succeeds', async () => {
    const before = await inventoryOf(app);
    const email = freshEmail();
    const outcomes = await simultaneously(50, (index) =>
      openDoor(app.url).registerPatient(aPatient({ email: spelled(email, index) })),
    );
    const { account, token } = theOneAmong(outcomes);
    expect(await accountOf(app.url, token)).toMatchObject({ id: account.id });
    expect(await inventoryOf(app)).toEqual({
      ...before,
      accounts: before.accounts + 1,
      tokens: before.tokens + 1,
    });
  });

  test('of simultaneous doctors with one e-mail one succeeds, and the others leave nothing behind', async () => {
    const before = await inventoryOf(app);
    const email = freshEmail();
    const outcomes = await simultaneously(12, (index) =>
      openDoor(app.url).registerDoctor(aDoctor({ email: spelled(email, index) })),
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

test('a race for one e-mail through both doors and both roles has one winner', async () => {
  const email = freshEmail();
  const register = (door: Door, isDoctor: boolean) =>
    isDoctor ? door.registerDoctor(aDoctor({ email })) : door.registerPatient(aPatient({ email }));
  const outcomes = await simultaneously(16, (index) =>
    register(index % 2 === 0 ? restDoor(app.url) : graphqlDoor(app.url), index % 4 < 2),
  );
  theOneAmong(outcomes);
});
