import type { RelyingParty } from '../auth/passkeys/ceremonies.ts';
import type { TwoFactorRequirement } from '../auth/two-factor/policy.ts';
import { PUBLIC_ROLES, type Role } from '../stores/roles.ts';
import { DAY_MILLIS } from '../system/calendar.ts';
import { SERVICE_NAME, SERVICE_NAME_SHAPE } from './brand-settings.ts';
import type { PeoplePages } from './people-settings.ts';
import type { SettingsReader } from './settings-reader.ts';

const MIN_CHARACTERS = 32;
const SECRET = 'TWO_FACTOR_SECRET';
const REQUIRED = 'TWO_FACTOR_REQUIRED';

/** The settings of the second factor. */
export interface TwoFactorSettings extends TwoFactorRequirement {
  /** The lines that encrypt the secrets of apps: the first encrypts, all decrypt. Empty if there is no second factor here. */
  secrets: readonly string[];
  /** The name of this service in an authenticator app. */
  issuer: string;
}

/**
 * @param baseUrl BASE_URL, whose host is the default name in apps unless the service has a name
 * @param hasPasskeys true if people can do with a passkey what TWO_FACTOR_REQUIRED asks for
 */
export function readTwoFactor(
  read: SettingsReader,
  baseUrl: string | undefined,
  hasPasskeys: boolean,
  serviceName?: string,
): TwoFactorSettings {
  const secrets = read.secretLines(SECRET);
  if (secrets.some((line) => [...line].length < MIN_CHARACTERS)) {
    read.problem(SECRET, `must have at least ${MIN_CHARACTERS} characters in each line`);
  }
  const roles = readRoles(read);
  if (roles.size > 0 && secrets.length === 0 && !hasPasskeys) {
    read.problem(
      REQUIRED,
      `needs ${SECRET} or PASSKEY_RP_ID: without them nobody can set up a second factor`,
    );
  }
  const graceDays = read.integer('TWO_FACTOR_GRACE_DAYS', { min: 0, max: 365, fallback: 7 });
  return {
    secrets,
    issuer: read.matching(
      'TWO_FACTOR_ISSUER',
      /^[^:\p{C}]{1,64}$/u,
      'up to 64 characters without a colon',
      // A colon would end the name.
      (serviceName ?? (baseUrl === undefined ? 'auth-gateway' : new URL(baseUrl).host)).replaceAll(':', ' '),
    ),
    roles,
    graceMillis: graceDays * DAY_MILLIS,
  };
}

/** OPERATOR_API. Nobody uses it without a second factor. */
export function readOperatorApi(read: SettingsReader, { secrets }: TwoFactorSettings): boolean {
  const isOn = read.toggle('OPERATOR_API', false);
  if (isOn && secrets.length === 0) {
    read.problem('OPERATOR_API', `needs ${SECRET}: operators log in with an authenticator app`);
  }
  return isOn;
}

const ENTRY = /^([a-z]+)(?::(\d{4}-\d{2}-\d{2}))?$/;
const FROM_THE_BEGINNING = new Date(0);

/** `reviewer,doctor:2027-03-01`: roles, each with the day (UTC) from which it needs a second factor. */
function readRoles(read: SettingsReader): Map<Role, Date> {
  const roles = new Map<Role, Date>();
  for (const entry of read.list(REQUIRED)) {
    const [, name, day] = ENTRY.exec(entry) ?? [];
    const role = Object.values(PUBLIC_ROLES).find((one) => one === name);
    const from = day === undefined ? FROM_THE_BEGINNING : new Date(day);
    // Date takes the 30th of February for a day in March.
    const isDay = day === undefined || (!Number.isNaN(from.getTime()) && from.toISOString().startsWith(day));
    if (role === undefined || !isDay || roles.has(role)) {
      const known = Object.values(PUBLIC_ROLES).join(', ');
      read.problem(
        REQUIRED,
        `must be roles (${known}), each once, and each alone or with a day: doctor:2027-03-01`,
      );
      return new Map();
    }
    roles.set(role, from);
  }
  return roles;
}

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
 * @param people pages that use passkeys, too, unless their default address does not fit the RP ID
 * @returns undefined without PASSKEY_RP_ID: then there are no passkeys
 */
export function readPasskeys(
  read: SettingsReader,
  corsOrigins: readonly string[],
  people: PeoplePages | undefined,
  serviceName?: string,
): RelyingParty | undefined {
  const rpId = read.text(RP_ID, '');
  const listed = read.list(ORIGINS);
  const name = read.matching(NAME, SERVICE_NAME, SERVICE_NAME_SHAPE, serviceName ?? (rpId || NAME));
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
  const fits = (origin: string) => canSign(origin) && isBelow(new URL(origin));
  const ofPeople = people === undefined ? [] : [people.origin];
  if (people?.isChosen && !ofPeople.every(fits)) {
    read.problem(
      RP_ID,
      'must be the host of PEOPLE_URL, or a domain above it; and PEOPLE_URL must be https, or on localhost',
    );
  }
  const others = listed.length > 0 ? listed : [`https://${rpId}`, ...corsOrigins.filter(fits)];
  return { rpId, origins: [...new Set([...others, ...ofPeople.filter(fits)])], name };
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
