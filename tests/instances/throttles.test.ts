import { type Door, type Outcome, throughEachDoor } from '../support/doors.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { graphqlDoor } from '../support/graphql-door.ts';
import { aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { restDoor } from '../support/rest-door.ts';
import { useInstances } from './support/instances.ts';

const LOGINS = 5;
const REGISTRATIONS = 7;

const isRefusedAs = (kind: string) => (outcome: Outcome) => !outcome.ok && outcome.kind === kind;

describe('of logins', () => {
  const instances = useInstances(async () => ({ RATE_LIMIT_LOGINS_PER_MINUTE: String(LOGINS) }));

  throughEachDoor((openDoor) => {
    const alternately = (index: number) => openDoor(index % 2 === 0 ? instances.a : instances.b);

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
      authenticated(await openDoor(instances.a).registerPatient(patient));
      const guess = () => openDoor(instances.a).login({ email: patient.email, password: freshPassword() });
      for (let attempt = 1; attempt < LOGINS; attempt += 1) {
        refused(await guess(), 'credentials');
      }
      authenticated(await openDoor(instances.b).login(patient));
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

  throughEachDoor((openDoor) => {
    test('instances share known places and the counts of strangers', async () => {
      const { a, b } = instances;
      const from = (address: string, url: string) => openDoor(url, { 'X-Forwarded-For': address });
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
    const [first, ...doors] = [restDoor(a), graphqlDoor(b), graphqlDoor(a), restDoor(b)] as const;
    const register = (door: Door) => door.registerPatient(aPatient());
    for (const door of doors) {
      authenticated(await register(door));
    }
    const outcomes = await Promise.all([...doors, first, ...doors, first].map(register));
    const left = REGISTRATIONS - doors.length;
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(left);
    expect(outcomes.filter(isRefusedAs('too many attempts'))).toHaveLength(outcomes.length - left);
    for (const door of [first, ...doors]) {
      refused(await register(door), 'too many attempts');
    }
  });
});
