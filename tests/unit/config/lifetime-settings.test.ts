import { readConfig } from '../../../src/config/config.ts';

const MINUTE = 60_000;

test('tokens are valid for ever, or for a number of minutes from their issue and from their last use', () => {
  const everyones = (settings: Record<string, string>) => readConfig(settings).tokenLifetimes.everyone;
  const unlimited = { absoluteMillis: undefined, idleMillis: undefined };
  expect(everyones({})).toEqual(unlimited);
  expect(everyones({ TOKEN_LIFETIME_MINUTES: 'off', TOKEN_IDLE_MINUTES: 'off' })).toEqual(unlimited);
  const on = { TOKEN_LIFETIME_MINUTES: '1440', TOKEN_IDLE_MINUTES: '1' };
  expect(everyones(on)).toEqual({ absoluteMillis: 1440 * MINUTE, idleMillis: MINUTE });
});

test.each<[string, Record<string, string>, number | undefined, number | undefined]>([
  ['a day and an hour by default', {}, 1440, 60],
  ['what is set', { STAFF_TOKEN_LIFETIME_MINUTES: '480', STAFF_TOKEN_IDLE_MINUTES: '15' }, 480, 15],
  [
    'no limit',
    { STAFF_TOKEN_LIFETIME_MINUTES: 'off', STAFF_TOKEN_IDLE_MINUTES: 'off' },
    undefined,
    undefined,
  ],
  ["everybody's, if they are shorter", { TOKEN_LIFETIME_MINUTES: '90', TOKEN_IDLE_MINUTES: '5' }, 90, 5],
  [
    "their own, if everybody's are longer",
    { TOKEN_LIFETIME_MINUTES: '9999', TOKEN_IDLE_MINUTES: '61' },
    1440,
    60,
  ],
  [
    "everybody's, if their own are off",
    { TOKEN_IDLE_MINUTES: '90', STAFF_TOKEN_LIFETIME_MINUTES: 'off', STAFF_TOKEN_IDLE_MINUTES: 'off' },
    undefined,
    90,
  ],
])('the lifetimes of tokens of staff are %s', (_, settings, absolute, idle) => {
  const millis = (minutes: number | undefined) => minutes && minutes * MINUTE;
  expect(readConfig(settings).tokenLifetimes.staff).toEqual({
    absoluteMillis: millis(absolute),
    idleMillis: millis(idle),
  });
});

test('audit events are kept for a year, for a number of days, or for ever', () => {
  const retentionOf = (days: string | undefined) =>
    readConfig({ AUDIT_RETENTION_DAYS: days }).auditRetentionMillis;
  expect(retentionOf(undefined)).toBe(365 * 86_400_000);
  expect(retentionOf('2')).toBe(2 * 86_400_000);
  expect(retentionOf('off')).toBeUndefined();
});

test('an account may have any number of tokens, or a limited one', () => {
  const mostOf = (most: string | undefined) =>
    readConfig({ MAX_TOKENS_PER_ACCOUNT: most }).maxTokensPerAccount;
  expect(mostOf(undefined)).toBeUndefined();
  expect(mostOf('off')).toBeUndefined();
  expect(mostOf('1')).toBe(1);
});
