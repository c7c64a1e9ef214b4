import { hkdfSync, randomBytes, randomInt } from 'node:crypto';
import { Ceremonies } from '../../../src/auth/passkeys/ceremonies.ts';
import { readNewPasskey, readPasskeyUse } from '../../../src/auth/passkeys/presented-passkey.ts';
import { InvalidPasskeyError } from '../../../src/system/errors.ts';
import { Authenticator, base64url, type Otherwise } from '../../support/authenticator.ts';

const ceremonies = new Ceremonies({ rpId: 'example.org', origins: ['https://example.org'], name: 'Example' });
const SETTINGS = { rpId: 'example.org', origin: 'https://example.org' };
const outcomeOf = (verified: Promise<unknown>) =>
  verified.then(
    () => 'accepted',
    (error: unknown) => (error instanceof InvalidPasskeyError ? error.detail : String(error)),
  );

/*
 * The test vectors of WebAuthn Level 3, section 16, as it says how they are made: each value by HKDF-SHA-256 of a fixed text, and with its
 * number as the salt. Only the signatures are others: ECDSA signs the same with another random number.
 */

interface Vector {
  authenticator: Authenticator;
  registration: { challenge: string; otherwise: Otherwise };
  authentication: { challenge: string; otherwise: Otherwise };
}

const [UV, BE, BS, EXTRA] = [0x04, 0x08, 0x10, 0x01];

function vectorOf(name: string, idBytes = 32): Vector {
  let next = 0;
  const derive = (bytes: number) => {
    const salt = Buffer.of(next);
    next += 1;
    return Buffer.from(hkdfSync('sha256', 'WebAuthn test vectors', salt, name, bytes));
  };
  const bit = (flags: Buffer, flag: number) => ((flags[0] ?? 0) & flag) !== 0;
  const clientData = () => {
    const text = 'clientDataJSON may be extended with additional fields in the future, such as this: ';
    return bit(derive(1), EXTRA) ? { extraData: text + base64url(derive(16)) } : {};
  };
  const challenge = base64url(derive(32));
  const privateKey = derive(32);
  const created = clientData();
  const [aaguid, credentialId] = [derive(16), derive(idBytes)];
  const atFirst = derive(1);
  const eligible = bit(atFirst, BE);
  const done = eligible && bit(atFirst, BS);
  const second = base64url(derive(32));
  const used = clientData();
  const later = derive(1);
  const backup = { eligible, done: eligible && bit(later, BS) };
  return {
    authenticator: new Authenticator({ ...SETTINGS, privateKey, aaguid, credentialId }),
    registration: {
      challenge,
      otherwise: { clientData: created, isVerified: bit(atFirst, UV), backup: { eligible, done } },
    },
    authentication: {
      challenge: second,
      otherwise: { clientData: used, isVerified: bit(later, UV), backup, userHandle: null },
    },
  };
}

/** @param verified true sets the bit that says that the person was verified: a passkey always needs it here */
async function outcomesOf({ authenticator, registration, authentication }: Vector, verified?: true) {
  const asked = verified && { isVerified: true };
  const created = authenticator.create(registration, { ...registration.otherwise, ...asked });
  const made = await ceremonies.verifyNew(readNewPasskey(created)).catch((error: unknown) => error);
  const key = await ceremonies.verifyNew(
    readNewPasskey(
      authenticator.create(registration, { isVerified: true, backup: { eligible: false, done: false } }),
    ),
  );
  const use = authenticator.get(authentication, { ...authentication.otherwise, ...asked });
  return [
    await outcomeOf(made instanceof Error ? Promise.reject(made) : Promise.resolve(made)),
    await outcomeOf(ceremonies.verifyUse(readPasskeyUse(use), key.publicKey)),
  ];
}

test('the vectors are those of the specification', () => {
  const { registration, authenticator } = vectorOf('none.ES256');
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex');
  // Section 16.2: challenge and credential_id.
  expect(hex(registration.challenge)).toBe(
    '00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130',
  );
  expect(hex(authenticator.credentialId)).toBe(
    'f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4',
  );
});

test('none.ES256 and a very long credential id are accepted, if the person was verified', async () => {
  for (const vector of [vectorOf('none.ES256'), vectorOf('none.ES256.long-credential-id', 1_023)]) {
    expect(await outcomesOf(vector, true)).toEqual(['accepted', 'accepted']);
    // As they stand, not all of them say so.
    const { registration, authentication } = vector;
    const asTheyStand = [registration, authentication].map(({ otherwise }) =>
      otherwise.isVerified ? 'accepted' : 'refused by the ceremony',
    );
    expect(await outcomesOf(vector)).toEqual(asTheyStand);
  }
});

/** An attestation object with a mistake: bytes that were changed, cut off or put in; or nothing but random ones. */
function mistaken(right: Buffer): Buffer {
  const at = randomInt(right.length);
  const changed = Buffer.from(right);
  const kinds: (() => Buffer)[] = [
    () => randomBytes(1 + randomInt(2_000)),
    () => Buffer.concat([Buffer.of(0xa3, 0x63), randomBytes(1 + randomInt(500))]),
    () => right.subarray(0, at),
    () => Buffer.concat([right.subarray(0, at), randomBytes(1 + randomInt(20)), right.subarray(at)]),
    // A head of CBOR that announces a very long text, array or map.
    () =>
      Buffer.concat([
        right.subarray(0, at),
        Buffer.of([0x7a, 0x9a, 0xba, 0xdb][randomInt(4)] ?? 0, 255, 255, 255, 255),
        right.subarray(at),
      ]),
    // Nested arrays, maps and tags.
    () =>
      Buffer.concat([
        right.subarray(0, at),
        Buffer.alloc(randomInt(20_000), [0x81, 0xa1, 0xc1][randomInt(3)]),
        right.subarray(at),
      ]),
    () => {
      changed[at] = randomInt(256);
      return changed;
    },
  ];
  return kinds[randomInt(kinds.length)]?.() ?? changed;
}

test('5,000 random attestation objects are accepted or refused, and nothing else', async () => {
  const authenticator = new Authenticator(SETTINGS);
  const created = authenticator.create({ challenge: 'AAAA' });
  const right = Buffer.from(created.response.attestationObject, 'base64url');
  const outcomes = new Map<string | undefined, number>();
  for (let number = 0; number < 5_000; number += 1) {
    const attestationObject = base64url(mistaken(right)) || 'AA';
    const sent = { ...created, response: { ...created.response, attestationObject } };
    const outcome = await outcomeOf(ceremonies.verifyNew(readNewPasskey(sent)));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const known = [
    'accepted',
    'refused by the ceremony',
    'another id',
    'a key of another kind',
    'a key of another size',
    'not verified',
  ];
  expect([...outcomes.keys()].filter((outcome) => !known.includes(String(outcome)))).toEqual([]);
  expect(outcomes.get('refused by the ceremony')).toBeGreaterThan(1_000);
});
