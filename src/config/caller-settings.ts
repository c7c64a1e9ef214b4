import { isIP } from 'node:net';
import { type EventClients, typesOf } from '../auth/events/event-clients.ts';
import {
  SERVICE_ID,
  type SecretDigest,
  type ServiceSecrets,
  secretDigest,
} from '../auth/service-authentication.ts';
import {
  EMAIL_CHANGES,
  RIGHT_LOGINS,
  type ThrottleLimits,
  WRONG_CODES,
} from '../auth/throttle/throttle-limits.ts';
import type { EventType } from '../stores/event-types.ts';
import type { SettingsReader } from './settings-reader.ts';

/** Express's `trust proxy`: false to trust no proxy, the number of proxies in front, or their addresses. */
export type TrustProxy = false | number | string;

/** Wrong credentials of services from one address in a minute. */
const MAX_SERVICE_FAILURES = 60;

/** Exports of the data of one account in a minute. */
const MAX_EXPORTS = 6;

/** The limits on attempts; RATE_LIMIT=off switches off all of them. */
export function readRateLimit(read: SettingsReader): ThrottleLimits {
  const isOn = read.toggle('RATE_LIMIT', true);
  const perMinute = (key: string, fallback: number) => {
    const limit = read.integerOrOff(key, { min: 1, max: 1_000_000, fallback });
    return isOn ? limit : undefined;
  };
  return {
    loginsPerMinute: perMinute('RATE_LIMIT_LOGINS_PER_MINUTE', 10),
    addressLoginsPerMinute: perMinute('RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE', 100),
    emailLoginsPerMinute: perMinute('RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE', 30),
    rightLogins: isOn ? RIGHT_LOGINS : undefined,
    emailChanges: isOn ? EMAIL_CHANGES : undefined,
    codes: isOn ? WRONG_CODES : undefined,
    registrationsPerMinute: perMinute('RATE_LIMIT_REGISTRATIONS_PER_MINUTE', 60),
    // No settings for the others: an honest service has no wrong credentials for long, and nobody needs many exports.
    serviceFailuresPerMinute: isOn ? MAX_SERVICE_FAILURES : undefined,
    exportsPerMinute: isOn ? MAX_EXPORTS : undefined,
  };
}

/** Reads `off`, the number of proxies in front, or their addresses in the form of Express. */
export function readTrustProxy(read: SettingsReader): TrustProxy {
  const proxies = read.text('TRUST_PROXY', 'off');
  if (proxies === 'off') {
    return false;
  }
  if (/^\d{1,2}$/.test(proxies)) {
    return Number(proxies);
  }
  if (read.list('TRUST_PROXY').every(isProxyAddress)) {
    return proxies;
  }
  read.problem('TRUST_PROXY', 'must be off, a number of proxies, or their addresses');
  return false;
}

/** True for an address, with or without the size of its network in bits, and for the networks that Express names. */
function isProxyAddress(text: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) {
    return true;
  }
  const [address = '', network, ...others] = text.split('/');
  const family = isIP(address);
  if (family === 0 || others.length > 0) {
    return false;
  }
  return (
    network === undefined || (/^[1-9]\d{0,2}$/.test(network) && Number(network) <= (family === 4 ? 32 : 128))
  );
}

/** The origin of an application with pages of its own, such as `capacitor://localhost`. Pages of files have the origin `null`. */
const APP_ORIGIN = /^(?!https?:|file:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(?::\d{1,5})?$/;

/** Reads origins. They must be exactly as browsers send them (RFC 6454 section 6.2), or they would never match. */
export function readCorsOrigins(read: SettingsReader): string[] {
  const origins = read.list('CORS_ORIGINS');
  const isOrigin = (text: string) =>
    APP_ORIGIN.test(text) ||
    (/^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text);
  if (origins.every(isOrigin)) {
    return origins;
  }
  read.problem('CORS_ORIGINS', 'must be origins such as https://app.example.org, separated by commas');
  return [];
}

const SERVICES = 'INTROSPECTION_CLIENTS';
const ENTRY_SHAPE = 'must be <id>:<SHA-256 of its secret in 64 hex digits>';
const DIGEST = /^[0-9a-f]{64}$/i;

/**
 * Reads the services that may ask whose token it is: `<id>:<SHA-256 of its secret in hex>`, separated by commas. An id may
 * come twice, with two secrets, so that a secret can be replaced without an interruption.
 * @returns an empty map if no service may ask
 */
export function readServices(read: SettingsReader): ServiceSecrets {
  const secrets = new Map<string, SecretDigest[]>();
  for (const [index, entry] of read.secretList(SERVICES).entries()) {
    const [id = '', digest = '', ...others] = entry.split(':');
    const problem = others.length > 0 ? ENTRY_SHAPE : problemOfService(id, digest, secrets);
    if (problem === undefined) {
      secrets.set(id, [...(secrets.get(id) ?? []), Buffer.from(digest, 'hex')]);
    } else {
      read.problem(SERVICES, `entry ${index + 1} ${problem}`);
    }
  }
  return secrets;
}

/** The problem never contains the entry: somebody may have put the secret itself there. */
function problemOfService(id: string, digest: string, secrets: ServiceSecrets): string | undefined {
  if (!DIGEST.test(digest)) {
    return ENTRY_SHAPE;
  }
  if (!SERVICE_ID.test(id)) {
    return 'must have an id of up to 64 letters, digits, ".", "_" and "-"';
  }
  const bytes = Buffer.from(digest, 'hex');
  if (bytes.equals(secretDigest(''))) {
    return 'has the digest of an empty secret';
  }
  return secrets.get(id)?.some((other) => other.equals(bytes)) ? 'is the same as another entry' : undefined;
}

const EVENT_CLIENTS = 'EVENT_CLIENTS';

/**
 * Reads which services may read which events: `records=account.*,doctor.*`, separated by semicolons. A name with a star at its end
 * stands for all types that begin so.
 * @param services those of INTROSPECTION_CLIENTS
 * @returns an empty map if none may read any
 */
export function readEventClients(read: SettingsReader, services: ServiceSecrets): EventClients {
  const clients = new Map<string, EventType[]>();
  const entries = read.text(EVENT_CLIENTS, '').split(';');
  for (const [index, entry] of entries.map((text) => text.trim()).entries()) {
    if (entry === '') {
      continue;
    }
    const [id = '', patterns, ...others] = entry.split('=').map((part) => part.trim());
    const types = others.length === 0 && patterns ? typesOf(patterns) : undefined;
    const problem = types ? problemOfEventClient(id, services, clients) : EVENT_CLIENT_SHAPE;
    if (types && !problem) {
      clients.set(id, types);
    } else {
      read.problem(EVENT_CLIENTS, `entry ${index + 1} ${problem}`);
    }
  }
  return clients;
}

const EVENT_CLIENT_SHAPE = 'must be <id>=<types>, such as records=account.*,doctor.*';

function problemOfEventClient(
  id: string,
  services: ServiceSecrets,
  clients: EventClients,
): string | undefined {
  if (!services.has(id)) {
    return `has a service that ${SERVICES} does not have`;
  }
  return clients.has(id) ? 'has a service that another entry has' : undefined;
}

/** Where forward authentication is offered: on the main port, on the metrics port alone, or nowhere. */
export type ForwardAuth = 'main' | 'metrics' | 'off';

/** @param metricsPort undefined if METRICS is off */
export function readForwardAuth(read: SettingsReader, metricsPort: number | undefined): ForwardAuth {
  const choice = read.choice<ForwardAuth>('FORWARD_AUTH', ['main', 'metrics', 'off'], 'main');
  if (choice === 'metrics' && metricsPort === undefined) {
    read.problem('FORWARD_AUTH', 'cannot be metrics if METRICS is off');
  }
  return choice;
}
