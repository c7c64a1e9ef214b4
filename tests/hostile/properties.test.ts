import {
  type Arbitrary,
  assert,
  asyncProperty,
  constant,
  jsonValue,
  oneof,
  record,
  string,
  stringMatching,
} from 'fast-check';
import { OPTIONAL_TEXTS } from '../../src/stores/doctor-profile-record.ts';
import { type Api, type Outcome, throughEachApi } from '../support/apis.ts';
import { authenticated, type RegisteredDoctor, registeredDoctor } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor, type Fields, freshEmail, freshPassword } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { inventoryOf, useTestApp } from '../support/test-app.ts';
import { answered } from './support/harmless.ts';

const app = useTestApp();

/** Enough to find what is easy to find, within seconds; a failure prints the seed that repeats it. */
const RUNS = { numRuns: 30 };
const DOCTOR_RUNS = { numRuns: 15 };

const anyText = oneof(
  string({ unit: 'binary', maxLength: 300 }),
  string({ unit: 'grapheme', maxLength: 60 }),
  string({ unit: 'grapheme-composite', maxLength: 60 }),
  stringMatching(/^[\s\u200b-\u200f\u2028-\u202e\ufeff]{0,5}Pat[\s\u200b-\u200f\u2028-\u202e\ufeff]{0,5}$/),
);
const anyJson = jsonValue({ maxDepth: 4, stringUnit: 'binary' });

/** For a password: a text that fast-check likes (`toString`) would seem to leak when another field has it, too. */
const noText = anyJson.filter((value) => typeof value !== 'string');

/** Makes a field's value for one request: an e-mail is another one each time. */
type Make = () => unknown;

const mostly = (valid: Make, ...others: Arbitrary<Make>[]): Arbitrary<Make> =>
  oneof({ weight: 4, arbitrary: constant(valid) }, ...others);
const made = (fields: Record<string, Make>): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, make]) => [name, make()]));

const asIs = (values: Arbitrary<unknown>): Arbitrary<Make> => values.map((value) => () => value);
const texts = asIs(anyText);
const emails = mostly(
  freshEmail,
  anyText.map((local) => () => `${local}${freshEmail()}`),
  anyText.map((local) => () => `"${local}"${freshEmail()}`),
  texts,
);
/** With something of its own in it, so that it is recognised where it leaks. */
const passwords = mostly(
  freshPassword,
  anyText.map((text) => () => `${text}${freshPassword()}`),
  asIs(string({ unit: 'binary', maxLength: 5 })),
);
const optional = (values: Arbitrary<Make>) => mostly(() => undefined, values);

const logins = record({ email: oneof(emails, asIs(anyJson)), password: oneof(passwords, asIs(noText)) });
const accounts = { name: mostly(() => 'Pat Ient', texts), email: emails, password: passwords };
const patients = record({ ...accounts, phone: optional(texts) });
const junk = record({
  name: mostly(() => 'Pat Ient', asIs(anyJson)),
  email: mostly(freshEmail, asIs(anyJson)),
  password: mostly(freshPassword, asIs(noText)),
  phone: optional(asIs(anyJson)),
});

/** A form turns line breaks into CRLF and half a surrogate pair into U+FFFD before it is sent. */
const formTexts = asIs(anyText.filter((text) => text.isWellFormed() && !/[\r\n]/.test(text)));
const doctors = record({
  name: mostly(() => 'Dr. Doc Tor', formTexts),
  specialization: mostly(() => 'Cardiology', formTexts),
  licenseNumber: mostly(() => 'MD-12345', formTexts),
  ...Object.fromEntries(OPTIONAL_TEXTS.map((name) => [name, optional(formTexts)])),
});

/** What is kept of a text: all but what looks like nothing at its ends. Nothing is null. */
const kept = (text: unknown): unknown =>
  typeof text === 'string'
    ? text.replace(/^[\s\u200b\u200e]+|[\s\u200b\u200e]+$/g, '') || null
    : (text ?? null);

/** Checks that an answer is harmless, in time, and one of these. */
async function outcomeOf(kinds: string[], call: () => Promise<Outcome>): Promise<Outcome> {
  const results: Outcome[] = [];
  await answered(async () => {
    const outcome = await call();
    results.push(outcome);
    return outcome.http;
  });
  const [outcome] = results;
  if (!outcome) {
    throw new Error('no answer');
  }
  expect(['ok', ...kinds]).toContain(outcome.ok ? 'ok' : outcome.kind);
  return outcome;
}

/** Checks that an account is what was sent, and the same at both APIs and by its token. */
async function expectAsSent(outcome: Outcome, { name, email, password, phone }: Fields): Promise<void> {
  const { account, token } = authenticated(outcome);
  const { id } = account;
  const asSent = { id, name: kept(name), email: kept(email), phone: kept(phone) };
  expect(account).toMatchObject(asSent);
  expect(await accountOf(app.url, token)).toMatchObject(asSent);
  for (const api of [restApi(app.url), graphqlApi(app.url)]) {
    expect(authenticated(await api.login({ email, password })).account).toMatchObject(asSent);
  }
}

throughEachApi((apiOf) => {
  const api = (): Api => apiOf(app.url);

  test('the gateway refuses a login with any values in JSON and stores nothing', async () => {
    const before = await inventoryOf(app);
    await assert(
      asyncProperty(logins, async (fields) => {
        const outcome = await outcomeOf(['validation', 'credentials'], () => api().login(made(fields)));
        expect(outcome.ok).toBe(false);
      }),
      RUNS,
    );
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('both doors return the texts of a patient as they were sent, or refuse all of them', async () => {
    await assert(
      asyncProperty(patients, async (fields) => {
        const before = await inventoryOf(app);
        const sent = made(fields);
        const outcome = await outcomeOf(['validation'], () => api().registerPatient(sent));
        if (outcome.ok) {
          await expectAsSent(outcome, sent);
        } else {
          expect(await inventoryOf(app)).toEqual(before);
        }
      }),
      RUNS,
    );
  });

  test('the gateway registers a patient with any values or refuses it in JSON', async () => {
    await assert(
      asyncProperty(junk, async (fields) => {
        const { accounts: before } = await app.database.count();
        const outcome = await outcomeOf(['validation'], () => api().registerPatient(made(fields)));
        expect((await app.database.count()).accounts).toBe(before + (outcome.ok ? 1 : 0));
      }),
      RUNS,
    );
  });

  test('both doors return the texts of a doctor as they were sent, or refuse all of them', async () => {
    await assert(
      asyncProperty(doctors, async (fields) => {
        const before = await inventoryOf(app);
        const sent = aDoctor(made(fields));
        const outcome = await outcomeOf(['validation'], () => api().registerDoctor(sent));
        if (!outcome.ok) {
          return expect(await inventoryOf(app)).toEqual(before);
        }
        await expectAsSent(outcome, sent);
        expectProfileAsSent(registeredDoctor(outcome), made(fields));
      }),
      DOCTOR_RUNS,
    );
  });
});

function expectProfileAsSent({ profile }: RegisteredDoctor, { name: _, ...sent }: Fields): void {
  for (const [field, text] of Object.entries(sent)) {
    expect(profile).toHaveProperty(field, kept(text));
  }
}
