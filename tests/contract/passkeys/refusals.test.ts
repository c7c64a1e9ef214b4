import { randomBytes } from 'node:crypto';
import type { AuditedAct } from '../../../src/stores/audit-event-record.ts';
import { cbor, type Otherwise } from '../../support/authenticator.ts';
import { eventually } from '../../support/eventually.ts';
import {
  accepted,
  anAuthenticator,
  aPasskeyOwner,
  confirmCredential,
  loginCredential,
  NOT_ACCEPTED,
  optionsOf,
  PASSKEYS,
  type PerformPasskey,
  passkeysByRest,
  passkeysThroughEach,
} from '../../support/passkeys.ts';
import { auditEvents } from '../../support/privacy.ts';
import { aStoredPerson } from '../../support/second-factor.ts';
import { afterSums, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(PASSKEYS);

const REFUSED = { ok: false, message: NOT_ACCEPTED, errors: { credential: [NOT_ACCEPTED] } };

/** The reason that the audit trail has last for an act. */
async function expectReason(act: AuditedAct, reason: string, accountId: string | null): Promise<void> {
  const find = async () => {
    const events = auditEvents(app);
    const [last] = await events.find({ act, accountId }).sort({ at: -1, _id: -1 }).limit(1).toArray();
    expect({ act, reason: last?.reason }).toEqual({ act, reason });
  };
  // Those of no account are summed up by the minute.
  await (accountId === null ? afterSums(find) : eventually(find));
}

const [FRAMED, IN_CEREMONY] = ['a page within a page of another origin', 'refused by the ceremony'];
/** What an authenticator or a page may do otherwise at a login, and what the audit trail calls it. */
const OF_USE: [string, Otherwise, string][] = [
  ['another origin', { origin: 'https://evil.example' }, 'another origin'],
  ['the origin in other letters', { origin: 'https://EXAMPLE.org' }, 'another origin'],
  ['a page below the domain', { origin: 'https://evil.example.org' }, 'another origin'],
  ['crossOrigin', { clientData: { crossOrigin: true } }, FRAMED],
  ['crossOrigin as a text', { clientData: { crossOrigin: 'no' } }, FRAMED],
  ['topOrigin', { clientData: { topOrigin: 'https://evil.example' } }, FRAMED],
  ['another RP ID', { rpId: 'evil.example' }, IN_CEREMONY],
  ['the type of an addition', { type: 'webauthn.create' }, 'unreadable'],
  ['a challenge of nobody', { challenge: randomBytes(54).toString('base64url') }, 'another challenge'],
  ['no challenge', { challenge: '' }, 'another challenge'],
  ['nobody present', { isPresent: false }, IN_CEREMONY],
  ['nobody verified', { isVerified: false }, IN_CEREMONY],
  [
    'the handle of somebody else',
    { userHandle: randomBytes(32).toString('base64url') },
    'another user handle',
  ],
  ['no handle', { userHandle: null }, 'another user handle'],
  ['an empty handle', { userHandle: '' }, 'another user handle'],
  [
    'a backup that was not possible',
    { backup: { eligible: true, done: true } },
    'another kind of authenticator',
  ],
  ['a backup without its eligibility', { backup: { eligible: false, done: true } }, IN_CEREMONY],
];

/** Values that are no credential. */
const JUNK: [string, (right: ReturnType<ReturnType<typeof anAuthenticator>['get']>) => object][] = [
  ['empty', () => ({})],
  ['an array in it', (right) => ({ ...right, response: [] })],
  ['no response', ({ response: _, ...right }) => right],
  ['another raw id', (right) => ({ ...right, rawId: 'AAAA' })],
  ['another type', (right) => ({ ...right, type: 'password' })],
  ['an operator as id', (right) => ({ ...right, id: { $ne: '' }, rawId: { $ne: '' } })],
  ['an id that is too long', (right) => ({ ...right, id: 'A'.repeat(1_400), rawId: 'A'.repeat(1_400) })],
  ['client data that is no JSON', (right) => changed(right, { clientDataJSON: 'AAAA' })],
  ['client data that is null', (right) => changed(right, { clientDataJSON: 'bnVsbA' })],
  ['client data of many kilobytes', (right) => changed(right, { clientDataJSON: 'A'.repeat(60_000) })],
  ['standard base64', (right) => changed(right, { signature: '++//' })],
  ['no authenticator data', (right) => changed(right, { authenticatorData: 'AA' })],
  ['a bogus signature', (right) => changed(right, { signature: randomBytes(70).toString('base64url') })],
  ['an empty signature', (right) => changed(right, { signature: '' })],
  ['a handle that is a number', (right) => changed(right, { userHandle: 7 })],
];
const changed = (right: { response: object }, parts: object) => ({
  ...right,
  response: { ...right.response, ...parts },
});

// No refusal changes anything at the account.
let owner: Awaited<ReturnType<typeof aPasskeyOwner>>;
beforeAll(async () => {
  owner = await aPasskeyOwner(app.url);
});
const act: PerformPasskey = (...words) => passkeysByRest(app.url)(...words);

passkeysThroughEach((performAt) => {
  test.each(JUNK)('a credential with %s is refused', async (_, change) => {
    const { authenticator, token } = owner;
    const atLogin = change(await loginCredential(app.url, authenticator));
    const atConfirm = change(await confirmCredential(app.url, authenticator, token));
    for (const answer of [
      await performAt(app.url)('loginWithPasskey', { credential: atLogin }),
      await performAt(app.url)('stepUp', { credential: atConfirm }, token),
    ]) {
      expect({ ...answer, status: answer.http.status }).toMatchObject(REFUSED);
      expect([200, 422]).toContain(answer.http.status);
    }
  });

  test('a passkey that is unknown is told apart, and says nothing of anybody', async () => {
    const authenticator = anAuthenticator();
    const credential = await loginCredential(app.url, authenticator, { userHandle: 'AAAA' });
    expect(await performAt(app.url)('loginWithPasskey', { credential })).toMatchObject({
      ...REFUSED,
      isUnknown: true,
    });
    await expectReason('login', 'unknown passkey', null);
  });
});

test.each(OF_USE)(
  'a login with %s is refused, and the reason is in the audit trail',
  async (_, otherwise, reason) => {
    const { authenticator, id } = owner;
    const credential = await loginCredential(app.url, authenticator, otherwise);
    expect(await act('loginWithPasskey', { credential })).toMatchObject({ ...REFUSED, isUnknown: false });
    await expectReason('login', reason, reason === 'unreadable' ? null : id);
    accepted(await act('loginWithPasskey', { credential: await loginCredential(app.url, authenticator) }));
  },
);

test('a counter that goes back is told, and refuses only a key that cannot be copied', async () => {
  const bound = await aPasskeyOwner(app.url, { counter: 5 });
  const copied = await aPasskeyOwner(app.url, { counter: 5, backup: { eligible: true, done: true } });
  for (const { authenticator } of [bound, copied]) {
    const credential = await loginCredential(app.url, authenticator);
    accepted(await act('loginWithPasskey', { credential }));
  }
  const back = async ({ authenticator }: typeof bound) =>
    act('loginWithPasskey', { credential: await loginCredential(app.url, authenticator, { counter: 3 }) });
  expect(await back(bound)).toMatchObject({ ...REFUSED, isUnknown: false });
  accepted(await back(copied));
  for (const { id } of [bound, copied]) {
    await expectReason('passkey counter', 'went back', id);
  }
  await expectReason('login', 'the counter went back', bound.id);
  expect(app.log.join('')).toContain('the counter of a passkey went back');
  const stored = await app.database.db.collection('passkeys').findOne({ accountId: copied.id });
  expect(stored?.counter).toBe(6);
});

const nested = Buffer.concat([Buffer.alloc(20_000, 0x81), Buffer.of(0)]);
/** A public key in CBOR, by its type, its algorithm and its parts. */
const coseKey = (type: number, algorithm: number, ...parts: (number | Buffer)[]) => ({
  cose: cbor([[1, type], [3, algorithm], ...parts.map((part, index) => [-1 - index, part] as const)]),
});
const [ZEROS, ONES, LONG] = [Buffer.alloc(32), Buffer.alloc(32, 1), Buffer.alloc(256, 255)];
test.each<[string, Otherwise]>([
  ['another origin', { origin: 'https://evil.example' }],
  ['crossOrigin', { clientData: { crossOrigin: true } }],
  ['the type of a login', { type: 'webauthn.get' }],
  ['nobody verified', { isVerified: false }],
  ['no authenticator data', { attestation: [['fmt', 'none']] }],
  ['a text as authenticator data', { attestation: [['authData', 'text']] }],
  ['an empty attestation', { attestation: [] }],
  ['a number as attestation', { attestation: 7 }],
  ['a key of another curve', coseKey(2, -7, 2, ZEROS, ZEROS)],
  ['a key that is no point', coseKey(2, -7, 1, ONES, ONES)],
  ['a key without its parts', coseKey(2, -7)],
  ['an algorithm that was not offered', coseKey(2, -35, 1, ONES, ONES)],
  ['a very large RSA key', coseKey(3, -257, Buffer.alloc(2_048, 255), Buffer.of(1, 0, 1))],
  ['a very large exponent', coseKey(3, -257, LONG, LONG)],
  ['deeply nested CBOR as key', { cose: nested }],
])('an addition with %s is refused, and nothing is stored', async (_, otherwise) => {
  const person = await aStoredPerson(app.database);
  const options = optionsOf(await act('passkeyAddOptions', { password: person.password }, person.token));
  const credential = anAuthenticator().create(options, otherwise);
  expect(await act('addPasskey', { credential }, person.token)).toMatchObject({
    ...REFUSED,
    isUnknown: false,
  });
  expect(await app.database.db.collection('passkeys').countDocuments({ accountId: person.id })).toBe(0);
  // The challenge is not used up.
  accepted(await act('addPasskey', { credential: anAuthenticator().create(options) }, person.token));
});

test('an attestation with a certificate is taken without a look at it', async () => {
  const person = await aStoredPerson(app.database);
  const options = optionsOf(await act('passkeyAddOptions', { password: person.password }, person.token));
  const right = anAuthenticator();
  const { response, ...credential } = right.create(options);
  const none = Buffer.from(response.attestationObject, 'base64url');
  const authData = none.subarray(none.indexOf('authData') + 8 + 2);
  const attestation = [
    ['fmt', 'packed'],
    [
      'attStmt',
      [
        ['alg', -7],
        ['sig', Buffer.alloc(70)],
        ['x5c', Buffer.alloc(3_000, 0x30)],
      ],
    ],
    ['authData', authData],
  ] as const;
  const object = cbor(attestation).toString('base64url');
  const sent = { ...credential, response: { ...response, attestationObject: object } };
  accepted(await act('addPasskey', { credential: sent }, person.token));
  accepted(await act('loginWithPasskey', { credential: await loginCredential(app.url, right) }));
});

describe('with limits', () => {
  const limited = useTestApp({
    ...PASSKEYS,
    RATE_LIMIT: 'on',
    RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '5',
    TRUST_PROXY: 'loopback',
  });

  test('failures count where they come from, and never at the account', async () => {
    const { authenticator } = await aPasskeyOwner(limited.url);
    const thief = passkeysByRest(limited.url, { 'X-Forwarded-For': '203.0.113.9' });
    const credential = await loginCredential(limited.url, authenticator, { isVerified: false });
    const statuses = new Set<string>();
    for (let attempt = 0; attempt < 20 && !statuses.has('Too Many Attempts.'); attempt += 1) {
      statuses.add((await thief('loginWithPasskey', { credential })).message);
    }
    expect([...statuses]).toEqual([NOT_ACCEPTED, 'Too Many Attempts.']);
    const owner = passkeysByRest(limited.url, { 'X-Forwarded-For': '198.51.100.9' });
    const own = await loginCredential(limited.url, authenticator);
    accepted(await owner('loginWithPasskey', { credential: own }));
    // A right one passes even there: nobody guesses a signature.
    accepted(
      await thief('loginWithPasskey', { credential: await loginCredential(limited.url, authenticator) }),
    );
  });
});
