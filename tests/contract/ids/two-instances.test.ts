import { type App, createApp } from '../../../src/app/app.ts';
import { createLog } from '../../../src/system/log.ts';
import { configOn } from '../../documents/support/aftermath.ts';
import { type Authenticated, authenticated } from '../../support/expectations.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, tokenIdOf } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

// Two instances share the counters of ids, and nothing else knows which numbers are given.
const one = useTestApp({ ID_FORMAT: 'integer' });
let other: App;
let instances: { a: string; b: string };
beforeAll(async () => {
  other = createApp(configOn(one, { ID_FORMAT: 'integer' }), createLog('silent'), testClock);
  instances = { a: one.url, b: (await other.start()).address };
});
// Registered after that of the first, so it runs before it.
afterAll(() => other.stop());

const AT_ONCE = 25;

function expectAllDifferent(ids: string[]): void {
  expect(ids.filter((id) => !/^[1-9]\d*$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
}

const tokenIds = (sessions: Authenticated[]): string[] => sessions.map(({ token }) => tokenIdOf(token));

test('fifty simultaneous registrations at two instances get different numbers', async () => {
  const apis = [instances.a, instances.b].map((url) => restApi(url));
  const outcomes = await Promise.all(
    apis.flatMap((api) =>
      Array.from({ length: AT_ONCE }, (_, at) =>
        at % 5 === 0 ? api.registerDoctor(aDoctor()) : api.registerPatient(aPatient()),
      ),
    ),
  );
  const sessions = outcomes.map(authenticated);
  expectAllDifferent(sessions.map(({ account }) => String(account.id)));
  expectAllDifferent(tokenIds(sessions));
  for (const { account, token } of sessions.slice(0, 2)) {
    expect(await accountOf(instances.b, token)).toMatchObject({ id: String(account.id) });
  }
});

test('fifty simultaneous logins at two instances get different numbers', async () => {
  const apis = [instances.a, instances.b].map((url) => restApi(url));
  const patient = aPatient();
  const { token } = authenticated(await restApi(instances.a).registerPatient(patient));
  const outcomes = await Promise.all(
    apis.flatMap((api) => Array.from({ length: AT_ONCE }, () => api.login(patient))),
  );
  const sessions = outcomes.map(authenticated);
  expectAllDifferent([tokenIdOf(token), ...tokenIds(sessions)]);
  for (const session of [sessions[0], sessions.at(-1)]) {
    expect(await accountOf(instances.a, session?.token ?? '')).toMatchObject({ email: patient.email });
  }
});
