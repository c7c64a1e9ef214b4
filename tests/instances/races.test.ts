import { everythingIn } from '../documents/support/aftermath.ts';
import { type Api, type Outcome, throughEachApi } from '../support/apis.ts';
import { authenticated, expectInvalid } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor, aPatient, freshEmail } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { expectQuarantineEmpty } from '../support/test-app.ts';
import { useInstances } from './support/instances.ts';

const PATIENT_ROUNDS = 25;
const DOCTOR_ROUNDS = 12;
const MIXED_ROUNDS = 4;

// Costlier hashes than elsewhere: both instances find the e-mail free before either has it, so that the index decides.
const instances = useInstances(async () => ({ RATE_LIMIT: 'off', BCRYPT_COST: '8' }));

const storage = () => ({
  database: instances.workshop.database,
  storageDir: `${instances.workshop.folder}/storage`,
});

/** Checks that one of them is registered, is known at both instances, and the other was told that the e-mail is taken. */
async function expectOneWinner(outcomes: Outcome[]) {
  const winners = outcomes.filter(({ ok }) => ok);
  expect(winners).toHaveLength(1);
  for (const loser of outcomes.filter(({ ok }) => !ok)) {
    expectInvalid(loser, { email: ['The email has already been taken.'] });
  }
  const { account, token } = authenticated(winners[0] as Outcome);
  for (const url of [instances.a, instances.b]) {
    expect(await accountOf(url, token)).toMatchObject({ id: account.id });
  }
}

/** Lets both instances register the same e-mail at the same time, again and again. */
async function race(rounds: number, register: (url: string, email: string) => Promise<Outcome>) {
  for (let round = 0; round < rounds; round += 1) {
    const email = freshEmail();
    // Each is the first to be asked as often as the other, and each has its own spelling.
    const urls = round % 2 === 0 ? [instances.a, instances.b] : [instances.b, instances.a];
    const spellings = [email, email.toUpperCase()];
    await expectOneWinner(
      await Promise.all(urls.map((url, index) => register(url, spellings[index] ?? email))),
    );
  }
}

throughEachApi((apiOf) => {
  test('returns 422 to the loser when two instances register a patient with one e-mail at once', async () => {
    const before = await everythingIn(storage());
    await race(PATIENT_ROUNDS, (url, email) => apiOf(url).registerPatient(aPatient({ email })));
    expect(await everythingIn(storage())).toEqual({
      ...before,
      accounts: before.accounts + PATIENT_ROUNDS,
      tokens: before.tokens + PATIENT_ROUNDS,
    });
  });

  test('returns 422 to the loser when two instances register a doctor with one e-mail at once, and keeps nothing of it', async () => {
    const before = await everythingIn(storage());
    await race(DOCTOR_ROUNDS, (url, email) => apiOf(url).registerDoctor(aDoctor({ email })));
    await expectQuarantineEmpty(storage().storageDir);
    const after = await everythingIn(storage());
    expect(after).toMatchObject({
      accounts: before.accounts + DOCTOR_ROUNDS,
      profiles: before.profiles + DOCTOR_ROUNDS,
      tokens: before.tokens + DOCTOR_ROUNDS,
    });
    const profiles = await storage().database.profiles.find().toArray();
    expect(after.files).toEqual(
      profiles
        .flatMap(({ licenseFilePath, diplomaFilePath, certificationFilePath }) => [
          licenseFilePath,
          diplomaFilePath,
          certificationFilePath,
        ])
        .sort(),
    );
  });
});

test('returns 422 to every loser of a race through both doors, at both instances and in both roles', async () => {
  const { a, b } = instances;
  const apis = [restApi(a), graphqlApi(b), graphqlApi(a), restApi(b)];
  const register = (api: Api, isDoctor: boolean, email: string) =>
    isDoctor ? api.registerDoctor(aDoctor({ email })) : api.registerPatient(aPatient({ email }));
  for (let round = 0; round < MIXED_ROUNDS; round += 1) {
    const email = freshEmail();
    const outcomes = [...apis, ...apis].map((api, index) => register(api, index < 4, email));
    await expectOneWinner(await Promise.all(outcomes));
  }
});
