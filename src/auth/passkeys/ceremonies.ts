import { createPublicKey } from 'node:crypto';
import { InvalidPasskeyError } from '../../system/errors.ts';
import { bytesOf, MAX_CREDENTIAL_ID_BYTES, type PresentedPasskey } from './presented-passkey.ts';

/** `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3. */
export type CeremonyOptions = Record<string, unknown>;

/** Who asks for passkeys (WebAuthn section 4, Relying Party). */
export interface RelyingParty {
  /** The domain that the passkeys belong to, for ever: the RP ID. */
  rpId: string;
  /** The pages and applications that may use them, as browsers sign them. */
  origins: readonly string[];
  /** The name of this service in the dialogs of browsers. */
  name: string;
}

/** How a browser finds a passkey. */
export interface KnownCredential {
  /** In base64url. */
  credentialId: string;
  transports: readonly string[];
}

/** Whom a new passkey is for. */
interface NewOwner {
  /** The user handle, in base64url. */
  handle: string;
  email: string;
  name: string;
  /** Their authenticators make no second one. */
  present: readonly KnownCredential[];
}

/** What a new passkey says of itself. */
export interface NewPasskey {
  credentialId: string;
  /** As COSE has it, in base64url. */
  publicKey: string;
  counter: number;
  isBackupEligible: boolean;
  isBackedUp: boolean;
  aaguid: string;
}

/** What a verified signature says. */
export interface VerifiedUse {
  counter: number;
  isBackupEligible: boolean;
  isBackedUp: boolean;
}

/** How long a person may look for the device. */
const TIMEOUT_MILLIS = 300_000;

/** Numbers of COSE (RFC 9053 and RFC 8230): algorithms, and the parameters of keys. */
const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const;
const ALGORITHM = 3;
const [FIRST, SECOND, THIRD] = [-1, -2, -3];
const CURVES = { 'P-256': 1, Ed25519: 6 } as const;
const MIN_RSA_BYTES = 256;
/** A larger key would take its time at each login. */
const MAX_RSA_BYTES = 512;
const MAX_EXPONENT_BYTES = 4;

type Library = typeof import('@simplewebauthn/server') & typeof import('@simplewebauthn/server/helpers');

/** Loaded at the first use: it brings parsers of certificates with it. */
let loading: Promise<Library> | undefined;
const load = (): Promise<Library> => {
  loading ??= Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')]).then(
    ([server, helpers]) => ({ ...server, ...helpers }),
  );
  return loading;
};

/** The two ceremonies of WebAuthn Level 3: registration (section 7.1) and authentication (section 7.2). It stores nothing. */
export class Ceremonies {
  constructor(private readonly settings: RelyingParty) {}

  /** The options to make a passkey that knows its owner, and asks for a fingerprint, a face or a PIN. */
  async addOptions(
    challenge: Uint8Array<ArrayBuffer>,
    { handle, email, name, present }: NewOwner,
  ): Promise<CeremonyOptions> {
    const { generateRegistrationOptions } = await load();
    const { rpId, name: rpName } = this.settings;
    const options = await generateRegistrationOptions({
      ...{ rpID: rpId, rpName, challenge, timeout: TIMEOUT_MILLIS, attestationType: 'none' },
      ...{ userID: bytesOf(handle), userName: email, userDisplayName: name },
      excludeCredentials: present.map(described),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: Object.values(ALGORITHMS),
    });
    return { ...options };
  }

  /** The options to use a passkey. @param present those of the account; without them, the device offers its own */
  async useOptions(
    challenge: Uint8Array<ArrayBuffer>,
    present?: readonly KnownCredential[],
  ): Promise<CeremonyOptions> {
    const { generateAuthenticationOptions } = await load();
    const options = await generateAuthenticationOptions({
      ...{ rpID: this.settings.rpId, challenge, timeout: TIMEOUT_MILLIS, userVerification: 'required' },
      ...(present && { allowCredentials: present.map(described) }),
    });
    return { ...options };
  }

  /**
   * Verifies a new passkey. Who has made the authenticator does not matter, so its attestation is thrown away before anything reads it.
   * @param presented of `webauthn.create`
   * @throws InvalidPasskeyError
   */
  async verifyNew(presented: PresentedPasskey): Promise<NewPasskey> {
    this.#checkOrigin(presented);
    const library = await load();
    const { credential, clientData } = presented;
    const attestationObject = reading(() => withoutAttestation(library, presented));
    const verified = await library
      .verifyRegistrationResponse({
        response: {
          ...credential,
          response: { clientDataJSON: presented.parts.clientDataJSON, attestationObject },
        },
        ...this.#expected(clientData.challenge),
        supportedAlgorithmIDs: Object.values(ALGORITHMS),
      })
      .catch(refuse);
    if (!verified.verified) {
      throw new InvalidPasskeyError('not verified');
    }
    const { credential: made, aaguid, credentialDeviceType, credentialBackedUp } = verified.registrationInfo;
    if (made.id !== credential.id || bytesOf(made.id).length > MAX_CREDENTIAL_ID_BYTES) {
      throw new InvalidPasskeyError('another id');
    }
    reading(() => demandUsable(library.decodeCredentialPublicKey(made.publicKey)));
    return {
      credentialId: made.id,
      publicKey: Buffer.from(made.publicKey).toString('base64url'),
      counter: made.counter,
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
      aaguid,
    };
  }

  /**
   * Verifies the signature of a passkey. Its counter is left to the caller: the library would look at it before the signature.
   * @param presented of `webauthn.get`
   * @param publicKey as COSE has it, in base64url
   * @throws InvalidPasskeyError
   */
  async verifyUse(presented: PresentedPasskey, publicKey: string): Promise<VerifiedUse> {
    this.#checkOrigin(presented);
    const { verifyAuthenticationResponse } = await load();
    const { credential, clientData, parts } = presented;
    const { clientDataJSON, authenticatorData = '', signature = '' } = parts;
    const verified = await verifyAuthenticationResponse({
      response: { ...credential, response: { clientDataJSON, authenticatorData, signature } },
      ...this.#expected(clientData.challenge),
      credential: { id: credential.id, publicKey: bytesOf(publicKey), counter: 0 },
    }).catch(refuse);
    if (!verified.verified) {
      throw new InvalidPasskeyError('wrong signature');
    }
    const { newCounter, credentialDeviceType, credentialBackedUp } = verified.authenticationInfo;
    return {
      counter: newCounter,
      isBackupEligible: credentialDeviceType === 'multiDevice',
      isBackedUp: credentialBackedUp,
    };
  }

  /** The library would accept a page within a page of another site (WebAuthn section 13.4.9). */
  #checkOrigin({ clientData: { origin, crossOrigin, topOrigin } }: PresentedPasskey): void {
    if (!this.settings.origins.includes(origin)) {
      throw new InvalidPasskeyError('another origin');
    }
    if ((crossOrigin ?? false) !== false || topOrigin !== undefined) {
      throw new InvalidPasskeyError('a page within a page of another origin');
    }
  }

  #expected(challenge: string) {
    const { rpId, origins } = this.settings;
    return {
      // The caller has checked it.
      expectedChallenge: challenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: true,
    };
  }
}

type Described = { id: string; transports: never[] };

const described = ({ credentialId: id, transports }: KnownCredential): Described => ({
  id,
  // Stored as browsers name them; the library's list of names may be older.
  transports: [...transports] as never[],
});

/** What is sent makes the library throw errors of many kinds: also RangeError, for CBOR that is nested deeply. */
function refuse(cause: unknown): never {
  throw cause instanceof InvalidPasskeyError ? cause : new InvalidPasskeyError('refused by the ceremony');
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuse(error);
  }
}

/** @returns in base64url */
function withoutAttestation(
  { decodeAttestationObject, isoCBOR }: Library,
  { parts }: PresentedPasskey,
): string {
  const { attestationObject = '' } = parts;
  const authData = decodeAttestationObject(bytesOf(attestationObject)).get('authData');
  const none = new Map<string, string | Uint8Array | Map<string, string>>();
  none.set('fmt', 'none').set('attStmt', new Map()).set('authData', authData);
  return Buffer.from(isoCBOR.encode(none)).toString('base64url');
}

/**
 * A key that no signature fits would lie on its owner's device for ever, and a very large one would take long.
 * @throws if it is no key
 */
function demandUsable(key: { get(name: number): unknown }): void {
  const base64url = (name: number) => Buffer.from(key.get(name) as Uint8Array).toString('base64url');
  const size = (name: number) => (key.get(name) as Uint8Array).length;
  const algorithm = key.get(ALGORITHM);
  if (algorithm === ALGORITHMS.RS256) {
    const isOfSize = size(FIRST) >= MIN_RSA_BYTES && size(FIRST) <= MAX_RSA_BYTES;
    if (!isOfSize || size(SECOND) > MAX_EXPONENT_BYTES) {
      throw new InvalidPasskeyError('a key of another size');
    }
    demandKey({ kty: 'RSA', n: base64url(FIRST), e: base64url(SECOND) });
  } else if (algorithm === ALGORITHMS.ES256 && key.get(FIRST) === CURVES['P-256']) {
    demandKey({ kty: 'EC', crv: 'P-256', x: base64url(SECOND), y: base64url(THIRD) });
  } else if (algorithm === ALGORITHMS.EdDSA && key.get(FIRST) === CURVES.Ed25519) {
    demandKey({ kty: 'OKP', crv: 'Ed25519', x: base64url(SECOND) });
  } else {
    throw new InvalidPasskeyError('a key of another kind');
  }
}

const demandKey = (jwk: Record<string, string>): unknown => createPublicKey({ key: jwk, format: 'jwk' });
