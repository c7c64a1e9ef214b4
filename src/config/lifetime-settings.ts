import type { TokenLifetimes } from '../auth/tokens/token-lifetimes.ts';
import type { SettingsReader } from './settings-reader.ts';

const MILLIS_OF_A_MINUTE = 60_000;
const MINUTES_OF_A_CENTURY = 52_560_000;
const MILLIS_OF_A_DAY = 86_400_000;

/** The lifetimes of access tokens. Without a setting there is no limit, as in the legacy service. */
export function readTokenLifetimes(read: SettingsReader): TokenLifetimes {
  const millis = (key: string) => {
    const minutes = read.integerOrOff(key, { min: 1, max: MINUTES_OF_A_CENTURY, fallback: 'off' });
    return minutes === undefined ? undefined : minutes * MILLIS_OF_A_MINUTE;
  };
  return { absoluteMillis: millis('TOKEN_LIFETIME_MINUTES'), idleMillis: millis('TOKEN_IDLE_MINUTES') };
}

/** @returns how long audit events are kept, in milliseconds; undefined: for ever */
export function readAuditRetention(read: SettingsReader): number | undefined {
  const days = read.integerOrOff('AUDIT_RETENTION_DAYS', { min: 1, max: 36_500, fallback: 365 });
  return days === undefined ? undefined : days * MILLIS_OF_A_DAY;
}

/** @returns how long a closed account waits for its erasure, in milliseconds */
export const readErasureGrace = (read: SettingsReader): number =>
  read.integer('ERASURE_GRACE_DAYS', { min: 0, max: 3_650, fallback: 30 }) * MILLIS_OF_A_DAY;
