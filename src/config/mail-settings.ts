import { isEmailAddress } from '../auth/email-address.ts';
import type { Mailbox } from '../mail/message.ts';
import type { MailSettings, SmtpSecurity, SmtpSettings } from '../mail/smtp.ts';
import { hostOf, isLoopback } from './loopback.ts';
import type { SettingsReader } from './settings-reader.ts';

/** RFC 8314 section 3.3 and RFC 6409 section 3.1. */
const PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };

const SHAPE = 'must be smtp://user:password@host:587 or smtps://user:password@host:465';

/**
 * @param serviceName the name of the sender if MAIL_FROM has none
 * @returns undefined if no mails are sent
 */
export function readMail(read: SettingsReader, serviceName = ''): MailSettings | undefined {
  const smtp = readSmtp(read);
  const from = readFrom(read, serviceName);
  if (smtp && read.text('MAIL_FROM', '') === '') {
    read.problem('MAIL_FROM', 'must be set with SMTP_URL, to the sender of mails');
  }
  return smtp && from && { smtp, from };
}

function readSmtp(read: SettingsReader): SmtpSettings | undefined {
  const text = read.secret('SMTP_URL');
  if (text === '') {
    return undefined;
  }
  const settings = parseSmtp(text);
  if (typeof settings === 'string') {
    read.problem('SMTP_URL', settings);
    return undefined;
  }
  return settings;
}

/** @returns the problem, if there is one. It never contains the text, which may have a password */
function parseSmtp(text: string): SmtpSettings | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = url && PORTS[url.protocol];
  if (!url || port === undefined || url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash) {
    return SHAPE;
  }
  const host = hostOf(url);
  const security = securityOf(url, host);
  if (security === undefined) {
    return `${SHAPE}, and may end with ?tls=required or ?tls=off if it begins with smtp:`;
  }
  const credentials = credentialsOf(url);
  if (credentials === 'incomplete') {
    return 'must have both a user and a password, or neither; other characters than letters and digits as %XX';
  }
  if (credentials && security === 'none' && !isLoopback(host)) {
    return 'must not have a password with ?tls=off: it would be sent in clear';
  }
  return { host, port: url.port === '' ? port : Number(url.port), security, credentials };
}

/** STARTTLS is required, because without it the network decides about TLS. Mail servers of the same machine rarely have it. */
function securityOf(url: URL, host: string): SmtpSecurity | undefined {
  if (url.protocol === 'smtps:') {
    return url.search === '' ? 'tls' : undefined;
  }
  const choices: Readonly<Record<string, SmtpSecurity>> = {
    '': isLoopback(host) ? 'none' : 'starttls',
    '?tls=required': 'starttls',
    '?tls=off': 'none',
  };
  return choices[url.search];
}

function credentialsOf({ username, password }: URL): SmtpSettings['credentials'] | 'incomplete' {
  if (username === '' && password === '') {
    return undefined;
  }
  try {
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
    return user === '' || pass === '' ? 'incomplete' : { user, pass };
  } catch {
    return 'incomplete';
  }
}

const FROM = /^(?:"([^"\\\p{C}]*)"|([^"\\<>,;:@\p{C}]*))\s*<([^<>\s]+)>$/u;

function readFrom(read: SettingsReader, serviceName: string): Mailbox | undefined {
  const text = read.text('MAIL_FROM', '');
  if (text === '') {
    return undefined;
  }
  const [, quoted, plain, address = text] = FROM.exec(text) ?? [];
  if (isEmailAddress(address)) {
    return { name: (quoted ?? plain ?? '').trim() || serviceName, address };
  }
  read.problem('MAIL_FROM', 'must be an address, or a name and an address: Name <address>');
  return undefined;
}

const DEFAULT_TIME_ZONE = 'UTC';

/** TIME_ZONE, a name of the IANA. */
export function readTimeZone(read: SettingsReader): string {
  const timeZone = read.text('TIME_ZONE', DEFAULT_TIME_ZONE);
  // The check loads the tables of all zones, which would take 30 ms of every start.
  if (timeZone === DEFAULT_TIME_ZONE || isTimeZone(timeZone)) {
    return timeZone;
  }
  read.problem('TIME_ZONE', 'must be the name of a time zone, such as UTC or Europe/Berlin');
  return DEFAULT_TIME_ZONE;
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    // An offset such as `+02:00` is no name: it has no summer time.
    return /^[A-Z]/i.test(text);
  } catch {
    return false;
  }
}
