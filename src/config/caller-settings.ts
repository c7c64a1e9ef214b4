import { isIP } from 'node:net';
import { RIGHT_LOGINS, type ThrottleLimits } from '../auth/throttle/throttle-limits.ts';
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

/** Reads origins. They must be exactly as browsers send them (RFC 6454 section 6.2), or they would never match. */
export function readCorsOrigins(read: SettingsReader): string[] {
  const origins = read.list('CORS_ORIGINS');
  const isOrigin = (text: string) =>
    /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
  if (origins.every(isOrigin)) {
    return origins;
  }
  read.problem('CORS_ORIGINS', 'must be origins such as https://app.example.org, separated by commas');
  return [];
}
