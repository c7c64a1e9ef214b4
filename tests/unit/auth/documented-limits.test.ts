import { readFileSync } from 'node:fs';
import { ActThrottle } from '../../../src/auth/throttle/act-throttle.ts';
import type { AttemptCounter, WindowLimits } from '../../../src/auth/throttle/attempt-counters.ts';
import { LoginThrottle } from '../../../src/auth/throttle/login-throttle.ts';
import { MailboxLimits } from '../../../src/auth/throttle/mailbox-limits.ts';
import { readConfig } from '../../../src/config/config.ts';

/** The limits of all counters, with the default settings. */
function limitsOfCounters(): Record<string, WindowLimits> {
  const made: Record<string, WindowLimits> = {};
  const createCounter = (name: string, limits: WindowLimits) => {
    made[name] = limits;
    return {} as AttemptCounter;
  };
  const { rateLimit } = readConfig({});
  new LoginThrottle(rateLimit, createCounter, async () => false);
  new ActThrottle(rateLimit, createCounter);
  new MailboxLimits(createCounter);
  return made;
}

const WORDS: Record<string, number> = { twice: 2, five: 5, Ten: 10, ten: 10 };
const numberOf = (text: string): number => WORDS[text] ?? Number(text.replace(',', ''));

const LOGINS = 'security/login-limits';
const REGISTRATIONS =
  'Registrations: {minute} a minute, {hour} an hour and {day} a day from one IPv4 address or IPv6 /64';
const REVIEWED =
  'submits again and corrections of personal data count with them, and {minute} a minute each by account';
const LINKS = 'Requests for reset links, and apart from them for links that prove an e-mail,';
const ROW = '| {minute} | {hour} | {day} |';
const SENT = '{minute} a minute, {hour} an hour and {day} a day each';

/** The sentence of a page below docs that states the limit of a counter. `{times}` multiplies its numbers, and `…` stands for any text. */
const SENTENCES: [counter: string, page: string, sentence: string][] = [
  ['pair', LOGINS, `one e-mail from one place where no login has succeeded before ${ROW}`],
  ['email', LOGINS, `one e-mail from all such places together ${ROW}`],
  ['known-pair', LOGINS, `one e-mail from a place where a login has succeeded before ${ROW}`],
  ['address', LOGINS, `all e-mails from one IPv4 address, or one IPv6 /64 ${ROW}`],
  ['line', LOGINS, `all e-mails from one IPv6 /56 ${ROW}`],
  ['block', LOGINS, `all e-mails from one IPv6 /48, or one IPv4 /24 ${ROW}`],
  ['registrations', LOGINS, REGISTRATIONS],
  ['registrations-line', LOGINS, `${REGISTRATIONS}, {times} as many from a /56`],
  ['registrations-block', LOGINS, `${REGISTRATIONS}, … {times} times as many from a /48 or a /24.`],
  ['service-failures', LOGINS, `${REGISTRATIONS}, … Wrong secrets of services have the same limits`],
  [
    'service-failures-line',
    LOGINS,
    `${REGISTRATIONS}, {times} as many from a /56, … Wrong secrets of services`,
  ],
  ['service-failures-block', LOGINS, `${REGISTRATIONS}, … {times} times as many … Wrong secrets of services`],
  ['resubmissions', LOGINS, REVIEWED],
  ['corrections', LOGINS, REVIEWED],
  ['right-logins', LOGINS, 'limited by account, {hour} an hour and {day} a day from all places'],
  ['reset-requests', LOGINS, `${LINKS} … ${SENT}`],
  ['email-link-requests', LOGINS, `${LINKS} … ${SENT}`],
  ['password-changes', LOGINS, `changes of the password for one account: ${SENT}`],
  ['mailbox-links', LOGINS, 'of which the gateway sends {hour} an hour'],
  ['mailbox-tagged', LOGINS, 'All e-mails of a mailbox that have a tag share {hour} mails an hour'],
  ['mailbox-notices', 'architecture', '7 links and {hour} notices for the address without a tag'],
  [
    'codes',
    'security/second-factor',
    'Wrong codes are limited to {hour} an hour and {day} a day for each account',
  ],
  ['account-codes', 'security/second-factor', 'A new password starts anew, up to {day} a day'],
  ['new-recovery-codes', 'security/second-factor', 'Recovery codes are renewed {day} times a day at most'],
  ['device-notices', 'security/people', 'with device and time, {day} times a day at most'],
  ['exports', 'security/people', 'An account gets {minute} a minute.'],
  ['email-changes', 'contract', '{day} changes a day for each account'],
  ['operator-changes', 'security/console', '{hour} changes an hour'],
  ['opened-accounts', 'security/console', 'changes an hour, {hour} opened accounts and pages'],
  ['many-readings', 'security/console', 'an alert at {hour} of these'],
];

/** The limits in a sentence of a page. */
function statedIn(page: string, sentence: string): WindowLimits {
  const text = readFileSync(`docs/${page}.md`, 'utf8').replaceAll(/\s+/g, ' ');
  const pattern = sentence
    .replaceAll(/[|.]/g, '\\$&')
    .replaceAll('…', '.*?')
    .replaceAll(/\{(\w+)\}/g, '(?<$1>[\\w,]+)');
  const { times, ...windows } = new RegExp(pattern).exec(text)?.groups ?? {};
  const limits = Object.entries(windows).map(([name, number]) => [
    name,
    numberOf(number) * (times ? numberOf(times) : 1),
  ]);
  return Object.fromEntries(limits);
}

test.each(SENTENCES)('the limit of %s is the one that %s states', (counter, page, sentence) => {
  expect(limitsOfCounters()[counter]).toEqual(statedIn(page, sentence));
});

test('the limit of every counter is stated', () => {
  expect(SENTENCES.map(([counter]) => counter).sort()).toEqual(Object.keys(limitsOfCounters()).sort());
});
