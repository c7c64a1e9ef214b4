import { availableParallelism } from 'node:os';
import { REGISTRATION_MODES, type RegistrationModes } from '../auth/features.ts';
import { PASSWORD_MAX_BYTES } from '../auth/passwords/password-rules.ts';
import type { Lifetimes, TokenLifetimes } from '../auth/tokens/token-lifetimes.ts';
import { DAY_MILLIS } from '../system/calendar.ts';
import { type PeoplePages, peopleLink } from './people-settings.ts';
import type { SettingsReader } from './settings-reader.ts';

const MILLIS_OF_A_MINUTE = 60_000;
const MINUTES_OF_A_CENTURY = 52_560_000;

/**
 * The lifetimes of access tokens. Without a setting there is no limit, as in the legacy service. Those of staff are what
 * NIST SP 800-63B-4 recommends for AAL2 (2.2.3), unless everybody's are stricter.
 */
export function readTokenLifetimes(read: SettingsReader): TokenLifetimes {
  const millis = (key: string, fallback: number | 'off') => {
    const minutes = read.integerOrOff(key, { min: 1, max: MINUTES_OF_A_CENTURY, fallback });
    return minutes === undefined ? undefined : minutes * MILLIS_OF_A_MINUTE;
  };
  const everyone: Lifetimes = {
    absoluteMillis: millis('TOKEN_LIFETIME_MINUTES', 'off'),
    idleMillis: millis('TOKEN_IDLE_MINUTES', 'off'),
  };
  const staff: Lifetimes = {
    absoluteMillis: stricter(everyone.absoluteMillis, millis('STAFF_TOKEN_LIFETIME_MINUTES', 1440)),
    idleMillis: stricter(everyone.idleMillis, millis('STAFF_TOKEN_IDLE_MINUTES', 60)),
  };
  return { everyone, staff };
}

/** The shorter of two times; undefined means no limit. */
function stricter(one: number | undefined, other: number | undefined): number | undefined {
  const shorter = Math.min(one ?? Number.POSITIVE_INFINITY, other ?? Number.POSITIVE_INFINITY);
  return shorter === Number.POSITIVE_INFINITY ? undefined : shorter;
}

/** @returns how long audit events are kept, in milliseconds; undefined: for ever */
export function readAuditRetention(read: SettingsReader): number | undefined {
  const days = read.integerOrOff('AUDIT_RETENTION_DAYS', { min: 1, max: 36_500, fallback: 365 });
  return days === undefined ? undefined : days * DAY_MILLIS;
}

/** @returns how long published events are kept, in milliseconds */
export const readEventRetention = (read: SettingsReader): number =>
  read.integer('EVENT_RETENTION_DAYS', { min: 1, max: 3_650, fallback: 30 }) * DAY_MILLIS;

/** @returns how long a closed account waits for its erasure, in milliseconds */
export const readErasureGrace = (read: SettingsReader): number =>
  read.integer('ERASURE_GRACE_DAYS', { min: 0, max: 3_650, fallback: 30 }) * DAY_MILLIS;

/**
 * Who may register, by role.
 * @param canInvite true if there are invitations
 */
export function readRegistrationModes(read: SettingsReader, canInvite: boolean): RegistrationModes {
  const modeOf = (key: string) => {
    const mode = read.choice(key, REGISTRATION_MODES, 'open');
    if (mode === 'invited' && !canInvite) {
      read.problem(key, 'cannot be invited without PEOPLE_URL and SMTP_URL: nobody could be invited');
    }
    return mode;
  };
  return { doctor: modeOf('DOCTOR_REGISTRATION'), patient: modeOf('PATIENT_REGISTRATION') };
}

/** The least number of characters of a new password. */
export function readPasswordMinimum(read: SettingsReader): number {
  const key = read.keyOf('PASSWORD_MIN_CHARACTERS', 'PASSWORD_MIN_BYTES');
  return read.integer(key, { min: 1, max: PASSWORD_MAX_BYTES, fallback: 8 });
}

/** The default of libuv. */
const LIBUV_THREADS = 4;

/**
 * One for each core, and one more that is ready when another ends: without it the cores were idle for a twentieth of the
 * time (`npm run bench:isolation`). But never all of libuv's threads, because file access uses the same threads.
 */
export function readHashConcurrency(read: SettingsReader): number {
  const threads = read.integer('UV_THREADPOOL_SIZE', { min: 2, max: 1024, fallback: LIBUV_THREADS });
  return Math.min(availableParallelism() + 1, threads - 1);
}

const RESET_URL = 'PASSWORD_RESET_URL';
const VERIFICATION_URL = 'EMAIL_VERIFICATION_URL';
const TOKEN_MARK = '{token}';

/**
 * Reads the address of the page where a person chooses a new password, with `{token}` in its path, query or fragment.
 * @param sendsMails true if mails are sent: they have such a link
 * @param people the pages that stand in for it
 * @returns undefined if there is none: then a reset token is a code to type
 */
export function readPasswordResetUrl(
  read: SettingsReader,
  sendsMails: boolean,
  people: PeoplePages | undefined,
): string | undefined {
  const text = read.text(RESET_URL, '');
  if (text === '') {
    if (sendsMails && !people) {
      read.problem(
        RESET_URL,
        'must be set with SMTP_URL, to the page for a new password, with {token} in it, or PEOPLE_URL',
      );
    }
    return people && peopleLink(people, 'reset');
  }
  return checkedLinkUrl(read, RESET_URL, text);
}

/**
 * Reads the address of the page where a person confirms an e-mail, with `{token}` like that of a new password.
 * @param sendsMails true if mails are sent
 * @param people the pages that stand in for it
 * @returns undefined if there is none: then no e-mail is proven by a link of its own, and people cannot change theirs
 */
export function readEmailVerificationUrl(
  read: SettingsReader,
  sendsMails: boolean,
  people: PeoplePages | undefined,
): string | undefined {
  const text = read.text(VERIFICATION_URL, '');
  if (text === '') {
    return people && sendsMails ? peopleLink(people, 'confirm') : undefined;
  }
  if (!sendsMails) {
    read.problem(VERIFICATION_URL, 'needs SMTP_URL: the links are mailed');
  }
  return checkedLinkUrl(read, VERIFICATION_URL, text);
}

function checkedLinkUrl(read: SettingsReader, key: string, text: string): string | undefined {
  if (isLinkUrl(text)) {
    return text;
  }
  // A file `.env` ends a value at `#`.
  const quotes = text.includes('{token}') ? '' : '; in .env, a value with # needs quotes';
  read.problem(
    key,
    `must be an absolute http or https address with {token} once in its path, query or fragment${quotes}`,
  );
  return undefined;
}

/** The token must come behind the host, or the link would lead elsewhere. */
function isLinkUrl(text: string): boolean {
  const [before = '', after, ...others] = text.split(TOKEN_MARK);
  if (after === undefined || others.length > 0 || !/^https?:\/\/[^/?#\s]+[/?#]\S*$/i.test(before)) {
    return false;
  }
  const whole = `${before}x${after}`;
  if (/\s/.test(whole) || !URL.canParse(whole)) {
    return false;
  }
  const { username, password } = new URL(whole);
  return !username && !password;
}
