import type { NetworkLevel } from '../../system/networks.ts';
import type { WindowLimits } from './attempt-windows.ts';

/** Attempts per minute; undefined means no limit. The hour and the day have multiples of these. */
export interface ThrottleLimits {
  /** Failed logins of one e-mail from one address. */
  loginsPerMinute: number | undefined;
  /** Failed logins from one address at all e-mails: an attacker who tries one password on many accounts. */
  addressLoginsPerMinute: number | undefined;
  /** Failed logins of one e-mail from all addresses: an attacker with many addresses. */
  emailLoginsPerMinute: number | undefined;
  /** Logins of one account with the right password. They are not limited by network: a hospital is one address. */
  rightLogins: WindowLimits | undefined;
  /** Registrations from one address, and documents that one doctor submits again. */
  registrationsPerMinute: number | undefined;
  /** Wrong credentials of services from one address. */
  serviceFailuresPerMinute: number | undefined;
  /** Exports of the data of one account. Each reads thousands of records. */
  exportsPerMinute: number | undefined;
}

/** Limits of an account in the hour and the day, as multiples of the minute. SECURITY.md has the numbers. */
export const GUESSES = { hour: 2, day: 3 };
/** Limits of a network. Many people may share it, so they grow faster. */
export const NETWORK = { hour: 5, day: 10 };
/** Limits of the networks around an address, as multiples of its own. */
export const SHARES: Record<NetworkLevel, number> = { block: 10, line: 2, address: 1 };
/** No person logs in so often. A program keeps its token. */
export const RIGHT_LOGINS: WindowLimits = { hour: 120, day: 1_000 };
