import { throughEachApi } from '../../support/apis.ts';
import { authenticated, expectInvalid, registeredDoctor } from '../../support/expectations.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aDoctor, aPatient, freshEmail } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { inventoryOf, useTestApp } from '../../support/test-app.ts';

const clock = new ManualClock(new Date('2026-01-31T09:59:59Z'));
const app = useTestApp({}, undefined, undefined, clock);

/** How each API names the field in its texts. */
const LABELS: Readonly<Record<string, string>> = { REST: 'dob', GraphQL: 'date of birth' };

throughEachApi((apiOf) => {
  const register = (dateOfBirth: unknown) => apiOf(app.url).registerPatient(aPatient({ dateOfBirth }));
  const label = () => LABELS[/(REST|GraphQL) door/.exec(expect.getState().currentTestName ?? '')?.[1] ?? ''];

  test.each([
    '1900-01-01',
    '2024-02-29',
    '2000-02-29',
    '2026-01-31',
    '1990-02-28T00:00:00.000Z',
    '1990-02-28T23:59:59.999999+14:00',
    '1990-02-28t01:30',
    '1990-02-28 12:00:00 -0800',
  ])('of %s the date in front counts, in every answer', async (sent) => {
    const dateOfBirth = sent.slice(0, 10);
    const patient = aPatient({ dateOfBirth: sent });
    const { account, token } = authenticated(await apiOf(app.url).registerPatient(patient));
    expect(account.dateOfBirth).toBe(dateOfBirth);
    expect(authenticated(await apiOf(app.url).login(patient)).account.dateOfBirth).toBe(dateOfBirth);
    expect(await accountOf(app.url, token)).toMatchObject({ dateOfBirth });
    expect(await app.database.accounts.findOne({ _id: account.id })).toMatchObject({ dateOfBirth });
  });

  test.each<unknown>([
    '1899-12-31',
    '0000-01-01',
    '1990-02-30',
    '2023-02-29',
    '1900-02-29',
    '1990-00-10',
    '0000-00-00',
    '1990-5-17',
    '17.05.1990',
    '1990-05-17T',
    '1990-05-17 noon',
    '1990-02-30T00:00:00.000Z',
    '1990-05-17T00:00:00.000Z and more',
    '1990-05-17\n1990',
    '+001990-05-17',
    '١٩٩٠-٠٥-١٧',
    'yesterday',
    'x'.repeat(50_000),
    19900517,
    true,
    ['1990-05-17'],
    { $gt: '' },
  ])('the gateway refuses the date of birth %j, and stores nothing', async (dateOfBirth) => {
    const before = await inventoryOf(app);
    const isEarly = /^(1899-12-31|000\d-01-01)$/.test(String(dateOfBirth));
    const rule = isEarly ? 'date after or equal to 1900-01-01' : 'valid date';
    expectInvalid(await register(dateOfBirth), { dateOfBirth: [`The ${label()} field must be a ${rule}.`] });
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('a date of birth must have begun in some time zone', async () => {
    const future = [`The ${label()} field must be a date before or equal to today.`];
    for (const dateOfBirth of ['2026-02-01', '2026-12-31', '9999-12-31']) {
      expectInvalid(await register(dateOfBirth), { dateOfBirth: future });
    }
    // In Kiribati, 14 hours ahead, it is midnight.
    clock.set(new Date('2026-01-31T10:00:00Z'));
    expect(authenticated(await register('2026-02-01')).account.dateOfBirth).toBe('2026-02-01');
    expectInvalid(await register('2026-02-02'), { dateOfBirth: future });
    clock.set(new Date('2026-01-31T09:59:59Z'));
  });
});

test('the REST door ignores the date of birth of a doctor, and shows that of an imported one', async () => {
  const api = restApi(app.url);
  const doctor = aDoctor({ dateOfBirth: '1990-05-17' });
  const { account } = registeredDoctor(await api.registerDoctor(doctor));
  expect(authenticated(await api.login(doctor)).account.dateOfBirth).toBeNull();
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { dateOfBirth: '1970-01-02' } });
  const { token, ...shown } = authenticated(await api.login(doctor));
  expect(shown.account).toMatchObject({ role: 'doctor', dateOfBirth: '1970-01-02' });
  expect(await accountOf(app.url, token)).toMatchObject({ dateOfBirth: '1970-01-02' });
});

describe('the type Date of GraphQL', () => {
  const registration = (dateOfBirth: string) =>
    `mutation { registerPatient(input: { name: "Pat", email: "${freshEmail()}", password: "correct horse", dateOfBirth: ${dateOfBirth} }) { account { dateOfBirth } } }`;
  const run = (query: string) => sendJson(`${app.url}/graphql`, { query });

  test('a literal is a date', async () => {
    expect(jsonOf(await run(registration('"1990-05-17"')))).toEqual({
      data: { registerPatient: { account: { dateOfBirth: '1990-05-17' } } },
    });
  });

  test.each(['"1990-02-30-secret"', '"a secret"', '4711', 'SECRET', '{ secret: 1 }', '["secret"]', '""'])(
    'the error of the literal %s does not quote it',
    async (literal) => {
      const { text } = await run(registration(literal));
      expect(text).toContain('Date must be a day of the calendar, YYYY-MM-DD.');
      expect(text).not.toMatch(/secret|4711/i);
    },
  );

  test('the error of a variable does not quote it', async () => {
    const query =
      'mutation ($date: Date) { registerPatient(input: { name: "Pat", email: "a@b.c", password: "correct horse", dateOfBirth: $date }) { token } }';
    const { text } = await sendJson(`${app.url}/graphql`, { query, variables: { date: 'a secret' } });
    expect(text).toContain('The date of birth field must be a valid date.');
    expect(text).not.toContain('secret');
  });
});
