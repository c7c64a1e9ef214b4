import {
  createECDH,
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/*
 * An authenticator in software, and the browser before it: they make what `toJSON()` of a `PublicKeyCredential` gives
 * (WebAuthn Level 3). Every part can be made wrong.
 */

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';
type Cbor = number | string | Uint8Array | readonly (readonly [Cbor, Cbor])[];

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
export const base64url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

function head(major: number, value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUInt16BE(value, 1);
  bytes[0] = (major << 5) | (value > 255 ? 25 : 24);
  const short = Buffer.of((major << 5) | value);
  return value < 24 ? short : value > 255 ? bytes : Buffer.of((major << 5) | 24, value);
}

/** CBOR, as far as WebAuthn needs it. Entries stand for a map. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') {
    return value < 0 ? head(1, -1 - value) : head(0, value);
  }
  if (typeof value === 'string') {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (value instanceof Uint8Array) {
    return Buffer.concat([head(2, value.length), value]);
  }
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

const FLAGS = { UP: 0x01, UV: 0x04, BE: 0x08, BS: 0x10, AT: 0x40 };

const ofJwk = (key: KeyObject, name: 'x' | 'y' | 'n' | 'e') =>
  Buffer.from(String(key.export({ format: 'jwk' })[name]), 'base64url');

/** A new key pair, and its public key as COSE has it. */
function keyPair(algorithm: Algorithm): { privateKey: KeyObject; cose: Buffer } {
  if (algorithm === 'RS256') {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const entries = [
      [1, 3],
      [3, -257],
      [-1, ofJwk(publicKey, 'n')],
      [-2, ofJwk(publicKey, 'e')],
    ] as const;
    return { privateKey, cose: cbor(entries) };
  }
  if (algorithm === 'EdDSA') {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    return {
      privateKey,
      cose: cbor([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, ofJwk(publicKey, 'x')],
      ]),
    };
  }
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, cose: coseOf(ofJwk(publicKey, 'x'), ofJwk(publicKey, 'y')) };
}

/** A key pair of ES256 that is known. */
function givenKeyPair(privateKey: Uint8Array): { privateKey: KeyObject; cose: Buffer } {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  const [x, y] = [ecdh.getPublicKey().subarray(1, 33), ecdh.getPublicKey().subarray(33)];
  const jwk = { kty: 'EC', crv: 'P-256', d: base64url(privateKey), x: base64url(x), y: base64url(y) };
  return { privateKey: createPrivateKey({ key: jwk, format: 'jwk' }), cose: coseOf(x, y) };
}

const coseOf = (x: Uint8Array, y: Uint8Array) =>
  cbor([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, x],
    [-3, y],
  ]);

/** What of a ceremony is made otherwise than it should be. */
export interface Otherwise {
  origin?: string;
  challenge?: string;
  type?: string;
  rpId?: string;
  /** Further members of the client data. */
  clientData?: object;
  isPresent?: boolean;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string | null;
  /** Of a new passkey. */
  attestation?: Cbor;
  cose?: Buffer;
  backup?: { eligible: boolean; done: boolean };
}

interface AuthenticatorSettings {
  rpId: string;
  origin: string;
  algorithm?: Algorithm;
  /** Whether its passkeys are copied to other devices. */
  backup?: { eligible: boolean; done: boolean };
  /** undefined for one without a counter. */
  counter?: number;
  credentialId?: Uint8Array;
  aaguid?: Uint8Array;
  /** The private key of ES256; a new one without it. */
  privateKey?: Uint8Array;
}

/** The options of a ceremony, in their JSON form. */
export interface Options {
  challenge: string;
  user?: { id: string };
  allowCredentials?: { id: string }[];
}

/** An authenticator with one passkey. */
export class Authenticator {
  readonly credentialId: string;
  readonly #id: Uint8Array;
  readonly #keys: { privateKey: KeyObject; cose: Buffer };
  #counter: number | undefined;
  userHandle = '';

  constructor(private readonly settings: AuthenticatorSettings) {
    this.#id = settings.credentialId ?? randomBytes(16);
    this.credentialId = base64url(this.#id);
    const { privateKey, algorithm = 'ES256' } = settings;
    this.#keys = privateKey ? givenKeyPair(privateKey) : keyPair(algorithm);
    this.#counter = settings.counter;
  }

  /** Makes the passkey: `navigator.credentials.create`. */
  create({ challenge, user }: Options, otherwise: Otherwise = {}) {
    this.userHandle = user?.id ?? '';
    const id = Buffer.alloc(2);
    id.writeUInt16BE(this.#id.length);
    const attested = [
      this.settings.aaguid ?? Buffer.alloc(16, 7),
      id,
      this.#id,
      otherwise.cose ?? this.#keys.cose,
    ];
    const authData = Buffer.concat([this.#data(FLAGS.AT, otherwise), ...attested]);
    const none = [
      ['fmt', 'none'],
      ['attStmt', []],
      ['authData', authData],
    ] as const;
    const response = {
      clientDataJSON: this.#clientData('webauthn.create', challenge, otherwise),
      attestationObject: base64url(cbor(otherwise.attestation ?? none)),
      transports: ['internal', 'hybrid'],
    };
    return { ...this.#credential, response };
  }

  /** Uses the passkey: `navigator.credentials.get`. */
  get({ challenge }: Options, otherwise: Otherwise = {}) {
    if (this.#counter !== undefined) {
      this.#counter += 1;
    }
    const authenticatorData = this.#data(0, otherwise);
    const clientDataJSON = this.#clientData('webauthn.get', challenge, otherwise);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const hash = this.settings.algorithm === 'EdDSA' ? null : 'sha256';
    const { userHandle = this.userHandle } = otherwise;
    const response = {
      clientDataJSON,
      authenticatorData: base64url(authenticatorData),
      signature: base64url(sign(hash, signed, this.#keys.privateKey)),
      ...(userHandle !== null && { userHandle }),
    };
    return { ...this.#credential, response };
  }

  get #credential() {
    const id = this.credentialId;
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    };
  }

  #data(more: number, { rpId, isPresent = true, isVerified = true, counter, backup }: Otherwise): Buffer {
    const { eligible, done } = backup ?? this.settings.backup ?? { eligible: false, done: false };
    const backedUp = (eligible ? FLAGS.BE : 0) | (done ? FLAGS.BS : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.#counter ?? 0);
    const flags = Buffer.of(more | (isPresent ? FLAGS.UP : 0) | (isVerified ? FLAGS.UV : 0) | backedUp);
    return Buffer.concat([sha256(rpId ?? this.settings.rpId), flags, count]);
  }

  #clientData(type: string, challenge: string, otherwise: Otherwise): string {
    const { origin } = this.settings;
    const { clientData, ...other } = otherwise;
    const data = {
      type: other.type ?? type,
      challenge: other.challenge ?? challenge,
      origin: other.origin ?? origin,
      crossOrigin: false,
      ...clientData,
    };
    return base64url(Buffer.from(JSON.stringify(data)));
  }
}
