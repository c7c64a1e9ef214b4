import { InvalidPasskeyError } from '../../system/errors.ts';

/*
 * What a browser sends of a passkey: the JSON forms of WebAuthn Level 3, `RegistrationResponseJSON` and
 * `AuthenticationResponseJSON`. Here only its form is checked, and that in full: behind this nothing is of another type or larger.
 */

/** WebAuthn section 6.5.1. */
export const MAX_CREDENTIAL_ID_BYTES = 1023;

/** What the browser has signed with the authenticator (WebAuthn section 5.8.1). */
interface ClientData {
  challenge: string;
  origin: string;
  crossOrigin: unknown;
  topOrigin: unknown;
}

type Part = 'clientDataJSON' | 'attestationObject' | 'authenticatorData' | 'signature' | 'userHandle';

/** A passkey as it was presented. All bytes are in base64url. */
export interface PresentedPasskey {
  credential: { id: string; rawId: string; type: 'public-key'; clientExtensionResults: object };
  clientData: ClientData;
  parts: { clientDataJSON: string } & Partial<Record<Part, string>>;
  transports: string[];
}

/** Far more than authenticators send. An attestation with its certificates has some kilobytes. */
const MAX_CHARACTERS: Record<Part, number> = {
  clientDataJSON: 4_096,
  attestationObject: 32_768,
  authenticatorData: 4_096,
  signature: 4_096,
  userHandle: 128,
};

const BASE64URL = /^[\w-]+$/;
const MAX_ID_CHARACTERS = Math.ceil((MAX_CREDENTIAL_ID_BYTES * 4) / 3);

/** https://www.w3.org/TR/webauthn-3/#enum-transport */
const TRANSPORTS = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

export const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64url, 'base64url'));

/**
 * Reads a new passkey.
 * @param sent of any type
 * @throws InvalidPasskeyError
 */
export const readNewPasskey = (sent: unknown): PresentedPasskey =>
  read(sent, 'webauthn.create', ['attestationObject']);

/**
 * Reads the use of a passkey.
 * @param sent of any type
 * @throws InvalidPasskeyError
 */
export const readPasskeyUse = (sent: unknown): PresentedPasskey =>
  read(sent, 'webauthn.get', ['authenticatorData', 'signature']);

function read(sent: unknown, type: string, needed: readonly Part[]): PresentedPasskey {
  const { id, rawId, type: kind, response }: Record<string, unknown> = Object(sent);
  const { transports, ...given }: Record<string, unknown> = Object(response);
  if (!isBase64url(id, MAX_ID_CHARACTERS) || rawId !== id || kind !== 'public-key') {
    throw unreadable();
  }
  const parts: Partial<Record<Part, string>> = {};
  for (const part of ['clientDataJSON', 'userHandle', ...needed] as const) {
    // Some versions of Safari send an empty handle in place of none.
    const value = given[part] === '' ? undefined : (given[part] ?? undefined);
    const isMissing = value === undefined && part !== 'userHandle';
    if (isMissing || (value !== undefined && !isBase64url(value, MAX_CHARACTERS[part]))) {
      throw unreadable();
    }
    Object.assign(parts, value !== undefined && { [part]: value });
  }
  const { clientDataJSON = '' } = parts;
  return {
    credential: { id, rawId: id, type: kind, clientExtensionResults: {} },
    clientData: readClientData(clientDataJSON, type),
    parts: { ...parts, clientDataJSON },
    transports: Array.isArray(transports) ? TRANSPORTS.filter((one) => transports.includes(one)) : [],
  };
}

function readClientData(clientDataJSON: string, expectedType: string): ClientData {
  const { type, challenge, origin, crossOrigin, topOrigin } = parse(clientDataJSON);
  if (type !== expectedType || typeof challenge !== 'string' || typeof origin !== 'string') {
    throw unreadable();
  }
  return { challenge, origin, crossOrigin, topOrigin };
}

function parse(base64url: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(base64url, 'base64url').toString()));
  } catch {
    throw unreadable();
  }
}

const isBase64url = (value: unknown, maxCharacters: number): value is string =>
  typeof value === 'string' && value.length <= maxCharacters && BASE64URL.test(value);

const unreadable = () => new InvalidPasskeyError('unreadable');
