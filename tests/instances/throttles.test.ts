import { type Api, type Outcome, throughEachApi } from '../support/apis.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { useInstances } from './support/instances.ts';

const LOGINS = 5;
const REGISTRATIONS = 7;

const isRefusedAs = (kind: string) => (outcome: Outcome) => !outcome.ok && outcome.kind === kind;

describe('of logins', () => {
  const instances = useInstances(async () => ({ RATE_LIMIT_LOGINS_PER_MINUTE: String(LOGINS) }));

  throughEachApi((apiOf) => {
    const alternately = (index: number) => apiOf(index % 2 === 0 ? instances.a : instances.b);

    test('failed logins that alternate between instances have the limit of one', async () => {
      const email = freshEmail();
      const login = (index: number) => alternately(index).login({ email, password: freshPassword() });
      for (let attempt = 0; attempt < LOGINS; attempt += 1) {
        refused(await login(attempt), 'credentials');
      }
      for (const index of [0, 1]) {
        refused(await login(index), 'too many attempts');
      }
    });

    test('simultaneous guesses at both instances do not exceed the limit', async () => {
      const email = freshEmail();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          alternately(index).login({ email, password: freshPassword() }),
        ),
      );
      expect(outcomes.filter(isRefusedAs('credentials'))).toHaveLength(LOGINS);
      expect(outcomes.filter(isRefusedAs('too many attempts'))).toHaveLength(20 - LOGINS);
    });

    test('a login at one instance resets the failures at the other', async () => {
      const patient = aPatient();
      authenticated(await apiOf(instances.a).registerPatient(patient));
      const guess = () => apiOf(instances.a).login({ email: patient.email, password: freshPassword() });
      for (let attempt = 1; attempt < LOGINS; attempt += 1) {
        refused(await guess(), 'credentials');
      }
      authenticated(await apiOf(instances.b).login(patient));
      for (let attempt = 0; attempt < LOGINS; attempt += 1) {
        refused(await guess(), 'credentials');
      }
      refused(await guess(), 'too many attempts');
    });
  });
});

describe('of logins from known places', () => {
  const instances = useInstances(async () => ({
    RATE_LIMIT_LOGINS_PER_MINUTE: '1',
    RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: '2',
    TRUST_PROXY: '1',
  }));

  throughEachApi((apiOf) => {
    test('instances share known places and the counts of strangers', async () => {
      const { a, b } = instances;
      const from = (address: string, url: string) => apiOf(url, { 'X-Forwarded-For': address });
      const patient = aPatient();
      authenticated(await from('192.0.2.1', a).registerPatient(patient));
      const wrong = { email: patient.email, password: freshPassword() };
      refused(await from('198.51.100.1', a).login(wrong), 'credentials');
      refused(await from('203.0.113.1', b).login(wrong), 'credentials');
      for (const url of [a, b]) {
        refused(await from('198.51.100.2', url).login(patient), 'too many attempts');
      }
      authenticated(await from('192.0.2.1', b).login(patient));
    });
  });
});

describe('of registrations', () => {
  const instances = useInstances(async () => ({
    RATE_LIMIT_REGISTRATIONS_PER_MINUTE: String(REGISTRATIONS),
  }));

  test('registrations at both instances through both doors share one limit', async () => {
    const { a, b } = instances;
    const [first, ...apis] = [restApi(a), graphqlApi(b), graphqlApi(a), restApi(b)] as const;
    const register = (api: Api) => api.registerPatient(aPatient());
    for (const api of apis) {
      authenticated(await register(api));
    }
    const outcomes = await Promise.all([...apis, first, ...apis, first].map(register));
    const left = REGISTRATIONS - apis.length;
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(left);
    expect(outcomes.filter(isRefusedAs('too many attempts'))).toHaveLength(outcomes.length - left);
    for (const api of [first, ...apis]) {
      refused(await register(api), 'too many attempts');
    }
  });
});
