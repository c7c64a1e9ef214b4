import { createHash } from 'node:crypto';
import { RevokeOtherTokensDocument, RevokeTokenDocument } from '../../src/client/generated/graphql.ts';
import type { AuditEvent } from '../../src/models/audit-event.model.ts';
import { throughEachDoor } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused, succeeded } from '../support/expectations.ts';
import { execute, graphqlDoor } from '../support/graphql-door.ts';
import { aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { bearer } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp({ AUDIT_RETENTION_DAYS: '2', RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: '2' });
const DAY_MILLIS = 86_400_000;

const digestOf = (email: string) => createHash('sha256').update(email.toLowerCase()).digest('hex');

/** What is told of an e-mail, the earliest first. */
const toldOf = (email: string) =>
  app.database.db
    .collection<AuditEvent>('audit_events')
    .find({ emailDigest: digestOf(email) })
    .sort({ _id: 1 })
    .toArray();

throughEachDoor((openDoor) => {
  test('registrations, logins and logouts are told, with who, from where and why not', async () => {
    const door = openDoor(app.url);
    const patient = aPatient();
    const { account, token } = authenticated(await door.registerPatient(patient));
    const wrong = refused(await door.login({ ...patient, password: freshPassword() }), 'credentials');
    authenticated(await door.login(patient));
    succeeded(await door.logout(`Bearer ${token}`));
    await eventually(async () => {
      const events = await toldOf(patient.email);
      expect(events.map(({ act, outcome, reason }) => [act, outcome, reason])).toEqual([
        ['registration', 'success', null],
        ['login', 'failure', 'wrong password'],
        ['login', 'success', null],
        ['logout', 'success', null],
      ]);
      for (const event of events) {
        expect(event).toMatchObject({ accountId: account.id, ip: '127.0.0.1' });
        expect(event.expiresAt?.getTime()).toBe(event.at.getTime() + 2 * DAY_MILLIS);
      }
      expect(events[1]?.requestId).toBe(wrong.http.headers.get('x-request-id'));
    });
  });

  test('a login that nobody could have made is told, without an account', async () => {
    const stranger = { email: freshEmail(), password: freshPassword() };
    const door = openDoor(app.url);
    refused(await door.login(stranger), 'credentials');
    refused(await door.login(stranger), 'credentials');
    refused(await door.login(stranger), 'too many attempts');
    await eventually(async () => {
      const events = await toldOf(stranger.email);
      expect(events.map(({ accountId, reason }) => [accountId, reason])).toEqual([
        [null, 'unknown e-mail'],
        [null, 'unknown e-mail'],
        [null, 'Too Many Attempts.'],
      ]);
    });
  });

  test('the trail has no e-mail and no secret in it', async () => {
    const door = openDoor(app.url);
    const patient = aPatient();
    const { token } = authenticated(await door.registerPatient(patient));
    await eventually(async () => expect(await toldOf(patient.email)).toHaveLength(1));
    const text = JSON.stringify(await toldOf(patient.email));
    for (const secret of [patient.email, patient.password, token, token.split('|')[1]])
      expect(text).not.toContain(secret);
  });
});

test('revocations are told', async () => {
  const patient = aPatient();
  const { token } = authenticated(await graphqlDoor(app.url).registerPatient(patient));
  await execute(app.url, RevokeOtherTokensDocument, {}, bearer(token));
  await execute(app.url, RevokeTokenDocument, { id: 'nobody' }, bearer(token));
  await eventually(async () => {
    const events = await toldOf(patient.email);
    expect(events.map(({ act, outcome, reason }) => [act, outcome, reason])).toEqual([
      ['registration', 'success', null],
      ['revocation', 'success', null],
      ['revocation', 'failure', 'no such token'],
    ]);
  });
});
