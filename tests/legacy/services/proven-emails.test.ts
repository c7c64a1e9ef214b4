import { emailVerifiedAtOf } from '../../../src/stores/accounts.ts';
import { emailKey } from '../../../src/stores/email-key.ts';
import { authenticated } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { LEGACY_ACCOUNTS, type LegacyAccount } from '../support/legacy-people.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { countsIn, useMove } from '../support/move.ts';

const { patient, cost12, longPassword, argon2id, argon2i, decomposedPassword, withoutDates, capitalEmail } =
  LEGACY_ACCOUNTS;
type Person = Pick<LegacyAccount, 'id'>;

/** Of the legacy service. Its local time is two hours ahead of UTC in summer, and one hour in winter. */
const ZONE = ['--timezone', 'Europe/Berlin'];

const move = useMove({ ID_FORMAT: 'integer' }, { isImported: false });

const addColumn = () => move.query('ALTER TABLE accounts ADD email_verified_at timestamp NULL');
const setThere = ({ id }: Person, column: string, value: string | null) =>
  move.query('UPDATE accounts SET ?? = ? WHERE id = ?', [column, value, id]);
const provenThere = async ({ id }: Person) => {
  const [row] = await move.query<Record<string, string | null>>('SELECT * FROM accounts WHERE id = ?', [id]);
  return row?.email_verified_at;
};
const storedAccount = async (person: Person) => {
  const account = await move.accountHere(person);
  if (account === null) {
    throw new Error(`account ${person.id} is not here`);
  }
  return account;
};
const provenHere = async (person: Person) =>
  emailVerifiedAtOf(await storedAccount(person))?.toISOString() ?? null;
/** What the use of a mailed link does. */
const proveHere = async (person: Person, at: string) => {
  const { _id, email } = await storedAccount(person);
  const emailProof = { emailKey: emailKey(email), at: new Date(at) };
  await move.app.database.accounts.updateOne({ _id }, { $set: { emailProof } });
};
const importAll = () => move.done('import', ...ZONE, '--admins', 'skip', '--yes');
const sync = () => move.done('sync', ...ZONE);
const verify = () => move.run('verify', ...ZONE);
const back = () => move.run('back', ...ZONE, '--yes', '--files', move.legacy.filesDir);

test('a column of the legacy service becomes the proof of the e-mail that an account has', async () => {
  // Of this type, because a column of timestamps has no invalid dates.
  await move.query('ALTER TABLE accounts ADD email_verified_at datetime NULL');
  const values: [Person, string | null, string | null][] = [
    [patient, '2024-07-01 12:00:00', '2024-07-01T10:00:00.000Z'],
    [cost12, '2024-01-01 12:00:00', '2024-01-01T11:00:00.000Z'],
    // As all times are taken: before the account was created, and in the future.
    [argon2id, '2000-01-01 01:00:00', '2000-01-01T00:00:00.000Z'],
    [argon2i, '2099-01-01 01:00:00', '2099-01-01T00:00:00.000Z'],
    [longPassword, '0000-00-00 00:00:00', null],
    [decomposedPassword, '2024-00-00 00:00:00', null],
    [withoutDates, '1960-01-01 00:00:00', null],
    [capitalEmail, null, null],
  ];
  for (const [person, there] of values) {
    await setThere(person, 'email_verified_at', there);
  }
  const inspected = await move.done('inspect', ...ZONE);
  expect(inspected.lines.at(-1)).toMatchObject({
    provenEmails: { column: 'email_verified_at', count: 7 },
    droppedColumns: { accounts: [] },
  });

  await importAll();

  for (const [person, , here] of values) {
    expect([person.id, await provenHere(person)]).toEqual([person.id, here]);
  }
  expect((await storedAccount(patient)).updatedAt?.toISOString()).toBe('2024-03-01T07:30:15.000Z');
  const me = await accountOf(move.app.url, LEGACY_TOKENS.crc32b.plain);
  expect(me).toMatchObject({ id: String(patient.id), emailVerifiedAt: '2024-07-01T10:00:00.000Z' });
  expect(await verify()).toMatchObject({ code: 0, found: [] });
});

test('a sync takes the later proof of an e-mail, and never removes one; another e-mail ends it', async () => {
  await importAll();
  expect(await verify()).toMatchObject({ code: 0, found: [] });
  // The journal of an earlier version, whose sums do not have the column.
  await move.app.database.db.collection('legacy_batches').updateMany({}, { $unset: { added: true } });
  await addColumn();
  for (const person of [patient, cost12, argon2id, argon2i]) {
    await setThere(person, 'email_verified_at', '2024-07-01 12:00:00');
  }
  await proveHere(cost12, '2025-01-01T00:00:00.500Z');
  await proveHere(longPassword, '2025-01-01T00:00:00.500Z');
  expect(await move.setEmail(argon2i, 'chosen@example.org')).toMatchObject({ code: 0 });

  const upgraded = await sync();
  expect([countsIn(upgraded), upgraded.found]).toEqual([{ 'accounts changed': 4 }, []]);
  expect(await Promise.all([patient, cost12, longPassword, argon2id, argon2i].map(provenHere))).toEqual([
    '2024-07-01T10:00:00.000Z',
    '2025-01-01T00:00:00.500Z',
    '2025-01-01T00:00:00.500Z',
    '2024-07-01T10:00:00.000Z',
    // The e-mail that an operator has given it has no proof.
    null,
  ]);
  expect(countsIn(await sync())).toEqual({});
  expect(await verify()).toMatchObject({ code: 0, found: [`accounts ${argon2i.id} kept`] });

  const { updatedAt } = await storedAccount(patient);
  await setThere(patient, 'email_verified_at', '2025-07-01 12:00:00');
  // Laravel leaves the time as it is, unless the application resets it.
  await setThere(cost12, 'email', 'moved@example.org');
  await move.query('UPDATE accounts SET email = ?, email_verified_at = ? WHERE id = ?', [
    'proven.anew@example.org',
    '2025-08-01 12:00:00',
    argon2id.id,
  ]);
  await setThere(longPassword, 'name', 'Renamed');
  await sync();
  expect(await Promise.all([patient, cost12, longPassword, argon2id].map(provenHere))).toEqual([
    '2025-07-01T10:00:00.000Z',
    null,
    '2025-01-01T00:00:00.500Z',
    '2025-08-01T10:00:00.000Z',
  ]);
  expect(await storedAccount(patient)).toMatchObject({ updatedAt });
  expect(await verify()).toMatchObject({ code: 0, found: [`accounts ${argon2i.id} kept`] });

  for (const value of ['2024-07-01 12:00:00', null]) {
    await setThere(patient, 'email_verified_at', value);
    await sync();
    expect(await provenHere(patient)).toBe('2025-07-01T10:00:00.000Z');
  }
  expect(await verify()).toMatchObject({ code: 0, found: [`accounts ${argon2i.id} kept`] });
});

test('the way back writes proofs, but none that belongs to a former e-mail', async () => {
  await addColumn();
  for (const person of [cost12, argon2id]) {
    await setThere(person, 'email_verified_at', '2024-07-01 12:00:00');
  }
  await importAll();
  await proveHere(patient, '2025-07-01T10:00:00.700Z');
  expect(await move.setEmail(cost12, 'chosen@example.org')).toMatchObject({ code: 0 });
  // Two accounts exchange their e-mails. The second one has proven the e-mail that it has got.
  const { email: firstEmail } = await storedAccount(argon2id);
  const { email: secondEmail } = await storedAccount(argon2i);
  for (const [person, email] of [
    [argon2id, 'between@example.org'],
    [argon2i, firstEmail],
    [argon2id, secondEmail],
  ] as const) {
    expect(await move.setEmail(person, email)).toMatchObject({ code: 0 });
  }
  await proveHere(argon2i, '2025-07-02T10:00:00Z');
  const newcomer = aPatient({ phone: '+1 555 1' });
  const { account } = authenticated(await restApi(move.app.url).registerPatient(newcomer));
  const registered = { id: Number(account?.id) };
  await proveHere(registered, '2025-07-03T10:00:00Z');

  const result = await back();
  expect([result.code, result.found]).toEqual([0, []]);
  expect(countsIn(result)).toMatchObject({ 'accounts added': 1, 'accounts changed': 4 });
  expect(await Promise.all([patient, cost12, argon2id, argon2i, registered].map(provenThere))).toEqual([
    '2025-07-01 12:00:00',
    null,
    null,
    '2025-07-02 12:00:00',
    '2025-07-03 12:00:00',
  ]);
  expect(countsIn(await back())).toEqual({});
  expect(countsIn(await sync())).toEqual({});
  const verified = await verify();
  expect(verified.code).toBe(0);
  expect(await provenHere(patient)).toBe('2025-07-01T10:00:00.700Z');
});
