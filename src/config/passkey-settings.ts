import type { RelyingParty } from '../auth/passkeys/ceremonies.ts';
import type { SettingsReader } from './settings-reader.ts';

const RP_ID = 'PASSKEY_RP_ID';
const ORIGINS = 'PASSKEY_ORIGINS';
const NAME = 'PASSKEY_NAME';

/** Labels of letters, digits and inner hyphens: no address, no scheme, no port. The last one begins with a letter. */
const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;
const LOCALHOST = 'localhost';
/** SHA-256 of the certificate that signs an application, in base64url. */
const ANDROID = /^android:apk-key-hash:[\w-]{43}$/;

/**
 * @param corsOrigins CORS_ORIGINS: those at or below the RP ID may use passkeys unless PASSKEY_ORIGINS says otherwise
 * @returns undefined without PASSKEY_RP_ID: then there are no passkeys
 */
export function readPasskeys(read: SettingsReader, corsOrigins: readonly string[]): RelyingParty | undefined {
  const rpId = read.text(RP_ID, '');
  const listed = read.list(ORIGINS);
  const name = read.matching(
    NAME,
    /^(?=.*\S)[^\p{C}]{1,64}$/u,
    'one line of up to 64 characters',
    rpId || NAME,
  );
  if (rpId === '') {
    if (listed.length > 0) {
      read.problem(ORIGINS, `needs ${RP_ID}`);
    }
    return undefined;
  }
  if (rpId !== LOCALHOST && !DOMAIN.test(rpId)) {
    read.problem(RP_ID, 'must be a domain in lower case, such as example.org, or localhost');
  }
  if (!listed.every(canSign)) {
    read.problem(
      ORIGINS,
      'must be origins such as https://app.example.org, or android:apk-key-hash:<SHA-256 in base64url>, separated by commas; http only on localhost',
    );
  }
  const isBelow = ({ hostname }: URL) => hostname === rpId || hostname.endsWith(`.${rpId}`);
  const ofPages = corsOrigins.filter((origin) => canSign(origin) && isBelow(new URL(origin)));
  const origins = listed.length > 0 ? listed : [...new Set([`https://${rpId}`, ...ofPages])];
  return { rpId, origins, name };
}

/** True for an origin that browsers let use passkeys: a secure context (WebAuthn section 5). */
function canSign(origin: string): boolean {
  if (ANDROID.test(origin)) {
    return true;
  }
  if (origin.includes('*') || !URL.canParse(origin) || new URL(origin).origin !== origin) {
    return false;
  }
  const { protocol, hostname } = new URL(origin);
  const isLocal = hostname === LOCALHOST || hostname.endsWith(`.${LOCALHOST}`);
  return protocol === 'https:' || (protocol === 'http:' && isLocal);
}
