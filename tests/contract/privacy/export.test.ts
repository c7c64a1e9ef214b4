import { ExportMyDataDocument } from '../../../packages/client/src/generated/graphql.ts';
import type { StoredAuditEvent } from '../../../src/stores/audit-event-record.ts';
import { admin } from '../../support/admin-command.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { sendJson } from '../../support/http.ts';
import { aDoctor, aPatient, freshPassword } from '../../support/people.ts';
import { auditEvents, exportData } from '../../support/privacy.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer, tokenIdOf } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const BASE_URL = 'https://auth.example.org';
const app = useTestApp({ BASE_URL });
const MAX_LISTED = 1_000;

/** An event of the trail, as an instance stores it. */
const anEvent = (fields: Partial<StoredAuditEvent>): StoredAuditEvent => ({
  _id: `${Math.random()}`,
  at: new Date(),
  act: 'login',
  outcome: 'success',
  reason: null,
  accountId: null,
  byAccountId: null,
  tokenId: null,
  revoked: null,
  emailDigest: null,
  ip: '192.0.2.1',
  userAgent: 'Test',
  door: 'rest',
  operator: null,
  systemUser: null,
  requestId: 'request',
  service: null,
  count: null,
  lastAt: null,
  expiresAt: null,
  ...fields,
});

test('a doctor gets everything that is stored, and no secret', async () => {
  const doctor = aDoctor();
  const { account, profile, token } = registeredDoctor(
    await restApi(app.url, { 'Accept-Language': 'de' }).registerDoctor(doctor),
  );
  refused(await restApi(app.url).login({ ...doctor, password: freshPassword() }), 'credentials');
  await eventually(async () =>
    expect(await auditEvents(app).countDocuments({ accountId: account.id })).toBe(2),
  );
  const resubmitted = {
    licenseFilePath: `licenses/${'a'.repeat(40)}.pdf`,
    diplomaFilePath: `diplomas/${'b'.repeat(40)}.pdf`,
    certificationFilePath: `certifications/${'c'.repeat(40)}.pdf`,
  };
  const decidedAt = new Date('2026-01-31T12:00:00Z');
  const verification = {
    status: 'rejected',
    decidedAt,
    reason: 'The license has expired.',
    grounds: ['unreadable'],
  } as const;
  await app.database.profiles.updateOne(
    { _id: account.id },
    { $set: { resubmitted, verification } as object },
  );
  await app.database.accounts.updateOne(
    { _id: account.id },
    { $set: { knownDevices: ['Firefox on Android', 'a\u001bb', 7] } as object },
  );
  await app.database.tokens.updateOne(
    { accountId: account.id },
    { $set: { device: 'Firefox on Android', ip: '192.0.2.7' } as object },
  );
  await app.database.db.collection('reset_tokens').insertOne({
    _id: 'f'.repeat(64) as never,
    accountId: account.id,
    expiresAt: decidedAt,
  });
  await app.database.db.collection('outgoing_mails').insertOne({
    order: { kind: 'password changed', to: { accountId: account.id } },
    createdAt: decidedAt,
  });

  const { data, text } = await exportData(app.url, token);
  const { name, email, phone, licenseNumber, specialization } = doctor;
  expect(data.account).toMatchObject({
    id: account.id,
    name,
    email,
    phone,
    role: 'DOCTOR',
    knownNetworks: 1,
    knownDevices: ['Firefox on Android'],
    language: 'de',
  });
  expect(data.profile).toEqual({
    ...profile,
    proposal: null,
    licenseNumber,
    specialization,
    createdAt: expect.any(String),
    verification: {
      status: 'REJECTED',
      decidedAt: decidedAt.toISOString(),
      reason: verification.reason,
      documents: ['LICENSE', 'DIPLOMA', 'CERTIFICATION'],
      until: null,
      isRenewable: false,
      grounds: ['UNREADABLE'],
    },
    resubmittedLicenseFileUrl: `${BASE_URL}/storage/${resubmitted.licenseFilePath}`,
    resubmittedDiplomaFileUrl: `${BASE_URL}/storage/${resubmitted.diplomaFilePath}`,
    resubmittedCertificationUrl: `${BASE_URL}/storage/${resubmitted.certificationFilePath}`,
  });
  expect(data.tokens).toMatchObject([
    {
      id: tokenIdOf(token),
      name: 'doctor-token',
      abilities: ['create', 'update', 'delete'],
      device: 'Firefox on Android',
      ip: '192.0.2.7',
      isImported: false,
    },
  ]);
  expect(data.events).toMatchObject([
    { act: 'login', outcome: 'failure', channel: 'rest', ip: '127.0.0.1', count: 1 },
    { act: 'registration', outcome: 'success', channel: 'rest', ip: '127.0.0.1', count: 1 },
  ]);
  expect(data.passwordResets).toEqual([{ expiresAt: decidedAt.toISOString() }]);
  expect(data.mails).toEqual([{ kind: 'password changed', orderedAt: decidedAt.toISOString() }]);
  expect(data.generatedAt).toBe(new Date(testClock.now()).toISOString());
  expect(data.isTruncated).toBe(false);

  // No value of any stored record that is a hash, a digest or a secret.
  const stored = [
    await app.database.accounts.findOne({ _id: account.id }),
    ...(await app.database.tokens.find({ accountId: account.id }).toArray()),
    ...(await auditEvents(app).find({ accountId: account.id }).toArray()),
  ] as Record<string, unknown>[];
  const secrets = stored.flatMap(({ passwordHash, knownPlaces, secretHash, emailDigest, requestId }) =>
    [passwordHash, knownPlaces, secretHash, emailDigest, requestId].flat(),
  );
  const known = secrets.filter((value) => typeof value === 'string');
  expect(known.length).toBeGreaterThan(5);
  expect(
    [...known, doctor.password, token, 'f'.repeat(64)].filter((secret) => text.includes(secret)),
  ).toEqual([]);

  // The operator's command prints the same, but for what the export itself has added.
  const printed = await admin(
    { MONGODB_URI: app.database.uri, BASE_URL },
    'accounts',
    'export',
    '--id',
    account.id,
  );
  const json = JSON.parse(printed.stdout) as typeof data;
  expect(json.profile).toEqual({
    ...data.profile,
    verification: {
      ...data.profile?.verification,
      status: 'rejected',
      documents: ['license', 'diploma', 'certification'],
      grounds: ['unreadable'],
    },
  });
  expect(json.account.language).toBe('de');
  expect(json.tokens).toMatchObject([{ id: tokenIdOf(token) }]);
  expect(json.events.map(({ act }) => act)).toEqual(['data export', 'login', 'registration']);
  expect([...known, doctor.password].filter((secret) => printed.stdout.includes(secret))).toEqual([]);
  const exports = await auditEvents(app).find({ accountId: account.id, act: 'data export' }).toArray();
  expect(exports.map(({ door, outcome }) => [door, outcome]).sort()).toEqual([
    ['admin', 'success'],
    ['graphql', 'success'],
  ]);
});

test('nothing about anybody else is in an export', async () => {
  const patient = aPatient();
  const { account, token } = authenticated(await graphqlApi(app.url).registerPatient(patient));
  const stranger = aPatient({ name: 'Stran Ger' });
  const other = authenticated(await graphqlApi(app.url).registerPatient(stranger));
  await auditEvents(app).insertMany([
    anEvent({ accountId: account.id, act: 'disabling', operator: 'oskar', ip: '192.0.2.66' }),
    anEvent({ accountId: account.id, act: 'review', byAccountId: other.account.id, ip: '192.0.2.67' }),
    anEvent({ accountId: other.account.id, ip: '192.0.2.68' }),
    // What the person did to another, and was refused.
    anEvent({
      accountId: other.account.id,
      byAccountId: account.id,
      act: 'resubmission',
      ip: '198.51.100.1',
    }),
    anEvent({ byAccountId: account.id, act: 'review', outcome: 'failure', ip: '198.51.100.2' }),
  ]);
  const { data, text } = await exportData(app.url, token);
  expect(data.profile).toBeNull();
  expect(data.tokens).toHaveLength(1);
  expect(data.events.map(({ act, ip }) => [act, ip]).sort()).toEqual([
    ['disabling', null],
    ['registration', '127.0.0.1'],
    ['resubmission', '198.51.100.1'],
    ['review', null],
    ['review', '198.51.100.2'],
  ]);
  const ofOthers = [
    stranger.email,
    'Stran Ger',
    other.account.id,
    'oskar',
    '192.0.2.6',
    tokenIdOf(other.token),
  ];
  expect(ofOthers.filter((part) => text.includes(part))).toEqual([]);
});

test('an export has the newest 1,000 tokens and events, and says that there are more', async () => {
  const { account, token } = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  const accountId = account.id;
  const from = testClock.now() - MAX_LISTED * 60_000;
  const each = <T>(make: (index: number, at: Date) => T) =>
    Array.from({ length: MAX_LISTED }, (_, index) => make(index, new Date(from + index * 1_000)));
  await auditEvents(app).insertMany(each((_, at) => anEvent({ accountId, at })));
  const stored = await app.database.tokens.findOne({ accountId });
  await app.database.tokens.insertMany(
    each((index, createdAt) => ({ ...stored, _id: `${accountId}${index}`, createdAt }) as never),
  );
  const { data } = await exportData(app.url, token);
  expect(data.isTruncated).toBe(true);
  expect(data.tokens).toHaveLength(MAX_LISTED);
  expect(data.events).toHaveLength(MAX_LISTED);
  expect(data.tokens[0]?.id).toBe(tokenIdOf(token));
  expect(data.events[0]?.act).toBe('registration');
  expect(data.events.at(-1)?.at).toBe(new Date(from + 1_000).toISOString());
});

test('an export needs a valid token, and comes once in an operation', async () => {
  const { body } = await execute(app.url, ExportMyDataDocument);
  expect(body.errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED');
  const { token } = authenticated(await graphqlApi(app.url).registerPatient(aPatient()));
  const query = '{ a: exportMyData { generatedAt } b: exportMyData { generatedAt } }';
  const twice = await sendJson(`${app.url}/graphql`, { query }, bearer(token));
  expect(twice.text).toContain('An operation must not have more than one export or list.');
});
