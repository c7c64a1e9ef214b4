import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a browser gives for a passkey: the JSON forms of WebAuthn Level 3. */
export interface TestCredential {
  id: string;
  rawId: string;
  type: 'public-key';
  response: Record<string, unknown>;
  clientExtensionResults: object;
}

/** The flags of authenticator data: somebody is present, and recognized; a key follows. */
const [RECOGNIZED, WITH_KEY] = [0x05, 0x45];
const COUNTER = Buffer.alloc(4);
const AAGUID = Buffer.alloc(16);

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url');
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** An authenticator in software, with one passkey (ES256), and the browser before it. */
export class TestAuthenticator {
  readonly credentialId = base64url(randomBytes(16));
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #userHandle = '';

  constructor(
    private readonly rpId: string,
    private readonly origin: string,
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
  }

  /** What `navigator.credentials.create` would give. @param options of `passkeyAddOptions` */
  create(options: { challenge?: unknown; user?: unknown }): TestCredential {
    this.#userHandle = String((options.user as { id: unknown } | undefined)?.id);
    const id = Buffer.from(this.credentialId, 'base64url');
    const authData = Buffer.concat([
      ...[sha256(this.rpId), Buffer.of(WITH_KEY), COUNTER, AAGUID],
      ...[Buffer.of(0, id.length), id, this.#cosePublicKey()],
    ]);
    // CBOR: {"fmt": "none", "attStmt": {}, "authData": <bytes>}
    const head = hex('a3 63666d74 646e6f6e65 6761747453746d74 a0 686175746844617461 58');
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', options.challenge),
      attestationObject: base64url(Buffer.concat([head, Buffer.of(authData.length), authData])),
    });
  }

  /** What `navigator.credentials.get` would give. @param options of `passkeyLoginOptions` or `passkeyConfirmOptions` */
  get(options: { challenge?: unknown }): TestCredential {
    const authenticatorData = Buffer.concat([sha256(this.rpId), Buffer.of(RECOGNIZED), COUNTER]);
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.#credential({
      ...{ clientDataJSON, authenticatorData: base64url(authenticatorData) },
      ...{ signature: base64url(sign('sha256', signed, this.#privateKey)), userHandle: this.#userHandle },
    });
  }

  #credential(response: Record<string, unknown>): TestCredential {
    const id = this.credentialId;
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: unknown): string {
    const data = { type, challenge, origin: this.origin, crossOrigin: false };
    return base64url(Buffer.from(JSON.stringify(data)));
  }

  /** CBOR: {1: 2, 3: -7, -1: 1, -2: <x>, -3: <y>} */
  #cosePublicKey(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const [first, second] = [x, y].map((part) => Buffer.from(part, 'base64url'));
    return Buffer.concat([
      ...[hex('a5 0102 0326 2001 215820'), first ?? Buffer.alloc(0)],
      ...[hex('225820'), second ?? Buffer.alloc(0)],
    ]);
  }
}
