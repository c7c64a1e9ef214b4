import { BSON, type Document } from 'mongodb';
import {
  ChangePasswordDocument,
  RequestPasswordResetDocument,
} from '../../packages/client/src/generated/graphql.ts';
import { LONGEST_HOLD_MILLIS } from '../../src/mail/outbox.ts';
import { PROFILE_TEXTS } from '../../src/stores/doctor-profile-record.ts';
import { admin } from '../support/admin-command.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, registeredDoctor } from '../support/expectations.ts';
import { execute } from '../support/graphql-api.ts';
import { aDoctor, aPatient, freshPassword } from '../support/people.ts';
import { deleteAccount } from '../support/privacy.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { rememberPassword } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';
import { decide, newReviewer, resubmit } from '../support/reviews.ts';
import { bearer } from '../support/session.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock } from '../support/test-app.ts';

// Other programs and other releases read these records, so their fields, types and order are part of the gateway.

let server: SmtpTestServer;
let app: TestApp;

beforeAll(async () => {
  server = await startSmtpServer();
  app = await createTestApp({ ...mailSettings(server.url), RATE_LIMIT: 'on' });
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

/** The texts that profiles have had from the beginning; one that is added later changes nothing here. */
const FIRST_TEXTS = [
  'specialization',
  'licenseNumber',
  'currentInstitution',
  'workHistory',
  'publications',
  'practiceAddress',
];
const LATER_TEXTS = Object.keys(PROFILE_TEXTS).filter((name) => !FIRST_TEXTS.includes(name));

/** A stored record as the names, BSON types and order of its fields. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${[...new Set(value.map(shapeOf))].join(' ')}]`;
  }
  if (typeof value !== 'object' || value === null) {
    return value === null ? 'null' : typeof value;
  }
  const type: unknown = Reflect.get(value, '_bsontype') ?? (value instanceof Date ? 'Date' : undefined);
  if (type !== undefined) {
    return String(type);
  }
  const fields = Object.entries(value)
    .filter(([name]) => !LATER_TEXTS.includes(name))
    .map(([name, field]) => `${name}:${shapeOf(field)}`);
  return `{${fields.join(' ')}}`;
}

/** The different shapes of a collection's records that match, sorted: the order of the records does not matter. */
async function shapesIn(collection: string, filter: Document = {}): Promise<string[]> {
  const found = await app.database.db.collection(collection).find(filter, { raw: true }).toArray();
  const shapes = found.map((raw) =>
    // With `raw`, the records are bytes. Nothing is promoted, so that an Int32 is told from a Double.
    shapeOf(BSON.deserialize(raw as unknown as Uint8Array, { promoteValues: false })),
  );
  return [...new Set(shapes)].sort();
}

test('each kind of record is stored with the same fields, types and order as ever', async () => {
  const api = restApi(app.url);
  const reviewer = await newReviewer(app);
  const doctor = registeredDoctor(await api.registerDoctor(aDoctor({ publications: 'Some.' })));
  const { id } = doctor.account;
  const profiles = [...(await shapesIn('doctor_profiles'))];
  await decide(app, reviewer.token, { id, revision: 0, decision: 'REJECT', reason: 'Not readable.' });
  profiles.push(...(await shapesIn('doctor_profiles')));
  await resubmit(app, doctor.token);
  profiles.push(...(await shapesIn('doctor_profiles')));
  await decide(app, reviewer.token, { id, revision: 2, decision: 'APPROVE' });
  profiles.push(...(await shapesIn('doctor_profiles')));
  expect(profiles).toMatchInlineSnapshot(`
    [
      "{_id:string specialization:string licenseNumber:string licenseFilePath:string diplomaFilePath:string certificationFilePath:string currentInstitution:null workHistory:null publications:string practiceAddress:null createdAt:Date licenseKeys:[string] documentHashes:[{path:string sha256:string}]}",
      "{_id:string specialization:string licenseNumber:string licenseFilePath:string diplomaFilePath:string certificationFilePath:string currentInstitution:null workHistory:null publications:string practiceAddress:null createdAt:Date licenseKeys:[string] documentHashes:[{path:string sha256:string}] revision:Int32 verification:{status:string decidedAt:Date reason:string submittedAt:Date}}",
      "{_id:string specialization:string licenseNumber:string licenseFilePath:string diplomaFilePath:string certificationFilePath:string currentInstitution:null workHistory:null publications:string practiceAddress:null createdAt:Date licenseKeys:[string] documentHashes:[{path:string sha256:string}] revision:Int32 verification:{status:string decidedAt:Date reason:string submittedAt:Date} resubmitted:{licenseFilePath:string diplomaFilePath:string certificationFilePath:string}}",
      "{_id:string specialization:string licenseNumber:string licenseFilePath:string diplomaFilePath:string certificationFilePath:string currentInstitution:null workHistory:null publications:string practiceAddress:null createdAt:Date licenseKeys:[string] documentHashes:[{path:string sha256:string}] revision:Int32 verification:{status:string decidedAt:Date reason:null submittedAt:Date}}",
    ]
  `);

  const patient = aPatient({ phone: '+1 555 0100', dateOfBirth: '1990-01-31' });
  const { account, token } = authenticated(await api.registerPatient(patient));
  const accounts = [...(await shapesIn('accounts', { _id: account.id }))];
  const german = authenticated(
    await restApi(app.url, { 'Accept-Language': 'de' }).registerPatient(
      aPatient({ phone: '+1 555 0100', dateOfBirth: '1990-01-31' }),
    ),
  );
  accounts.push(...(await shapesIn('accounts', { _id: german.account.id })));
  authenticated(await api.login(patient));
  const newPassword = freshPassword();
  const input = { currentPassword: patient.password, newPassword, revokeOtherTokens: true };
  await execute(app.url, ChangePasswordDocument, { input }, bearer(token));
  accounts.push(...(await shapesIn('accounts', { _id: account.id })));
  expect(await shapesIn('access_tokens')).toMatchInlineSnapshot(`
    [
      "{_id:string accountId:string name:string secretHash:string abilities:[string] createdAt:Date lastUsedAt:null expiresAt:null idleExpiresAt:null ip:string device:string amr:[string] authTime:Date}",
      "{_id:string accountId:string name:string secretHash:string abilities:null createdAt:Date lastUsedAt:null expiresAt:null idleExpiresAt:null ip:string device:string amr:[string] authTime:Date}",
    ]
  `);
  await execute(app.url, RequestPasswordResetDocument, { email: patient.email }, {});
  expect(await shapesIn('outgoing_mails')).toMatchInlineSnapshot(`
    [
      "{_id:string limitKey:string attempts:Int32 createdAt:Date expiresAt:Date limitedUntil:Date nextAttemptAt:Date order:{kind:string to:{email:string}} orderedFrom:string}",
      "{_id:string order:{kind:string to:{accountId:string} facts:{at:string}} orderedFrom:string createdAt:Date attempts:Int32 nextAttemptAt:Date expiresAt:Date}",
      "{_id:string order:{kind:string to:{accountId:string} facts:{status:string at:string}} orderedFrom:string createdAt:Date attempts:Int32 nextAttemptAt:Date expiresAt:Date}",
      "{_id:string order:{kind:string to:{accountId:string} facts:{status:string reason:string at:string}} orderedFrom:string createdAt:Date attempts:Int32 nextAttemptAt:Date expiresAt:Date}",
    ]
  `);
  await testClock.advance(LONGEST_HOLD_MILLIS);
  await eventually(async () => expect(await shapesIn('reset_tokens')).toHaveLength(1));
  expect(await shapesIn('reset_tokens')).toMatchInlineSnapshot(`
    [
      "{_id:string accountId:string emailDigest:string passwordChangeId:string expiresAt:Date mailed:boolean}",
    ]
  `);
  await deleteAccount(app.url, token, newPassword);
  accounts.push(...(await shapesIn('accounts', { _id: account.id })));
  expect(accounts).toMatchInlineSnapshot(`
    [
      "{_id:string name:string email:string emailKey:string phone:string dateOfBirth:string role:string passwordHash:string createdAt:Date updatedAt:Date disabledAt:null knownPlaces:[string] nameWords:[string] phoneDigits:string}",
      "{_id:string name:string email:string emailKey:string phone:string dateOfBirth:string role:string passwordHash:string createdAt:Date updatedAt:Date disabledAt:null knownPlaces:[string] language:string nameWords:[string] phoneDigits:string}",
      "{_id:string name:string email:string emailKey:string phone:string dateOfBirth:string role:string passwordHash:string createdAt:Date updatedAt:Date disabledAt:null knownPlaces:[string] nameWords:[string] phoneDigits:string knownDevices:[string] accessVersion:string passwordChange:{id:string}}",
      "{_id:string name:string email:string emailKey:string phone:string dateOfBirth:string role:string passwordHash:string createdAt:Date updatedAt:Date disabledAt:Date knownPlaces:[string] nameWords:[string] phoneDigits:string knownDevices:[string] accessVersion:string passwordChange:{id:string} closedByOwner:boolean erasureDueAt:Date}",
    ]
  `);
  rememberPassword(newPassword);

  expect(await shapesIn('attempt_counts')).toMatchInlineSnapshot(`
    [
      "{_id:ObjectId key:string hour:{points:Int32 endsMillis:Double} expire:Date}",
      "{_id:ObjectId key:string minute:{points:Int32 endsMillis:Double} expire:Date}",
      "{_id:ObjectId key:string minute:{points:Int32 endsMillis:Double} hour:{points:Int32 endsMillis:Double} day:{points:Int32 endsMillis:Double} expire:Date}",
    ]
  `);
  expect(await shapesIn('audit_events')).toMatchInlineSnapshot(`
    [
      "{_id:string at:Date act:string outcome:string reason:null accountId:null byAccountId:null tokenId:null revoked:null emailDigest:string ip:string userAgent:string door:string operator:null systemUser:null service:null requestId:string count:null lastAt:null expiresAt:Date}",
      "{_id:string at:Date act:string outcome:string reason:null accountId:string byAccountId:null tokenId:null revoked:Int32 emailDigest:string ip:string userAgent:string door:string operator:null systemUser:null service:null requestId:string count:null lastAt:null expiresAt:Date unpublished:{type:string token:null}}",
      "{_id:string at:Date act:string outcome:string reason:null accountId:string byAccountId:null tokenId:null revoked:null emailDigest:string ip:string userAgent:string door:string operator:null systemUser:null service:null requestId:string count:null lastAt:null expiresAt:Date unpublished:{type:string token:null}}",
      "{_id:string at:Date act:string outcome:string reason:null accountId:string byAccountId:null tokenId:string revoked:null emailDigest:string ip:string userAgent:string door:string operator:null systemUser:null service:null requestId:string count:null lastAt:null expiresAt:Date unpublished:{type:string token:null}}",
      "{_id:string at:Date act:string outcome:string reason:null accountId:string byAccountId:null tokenId:string revoked:null emailDigest:string ip:string userAgent:string door:string operator:null systemUser:null service:null requestId:string count:null lastAt:null expiresAt:Date}",
      "{_id:string at:Date act:string outcome:string reason:string accountId:string byAccountId:string tokenId:null revoked:null emailDigest:string ip:string userAgent:string door:string operator:null systemUser:null service:null requestId:string count:null lastAt:null expiresAt:Date unpublished:{type:string token:null}}",
    ]
  `);
  const settings = { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir };
  await admin(settings, 'accounts', 'erase', '--account', account.id, '--now', '--yes');
  expect(await shapesIn('erasures')).toMatchInlineSnapshot(`
    [
      "{_id:string emailDigest:string erasedAt:Date}",
    ]
  `);
});
