import { readConfig } from '../../../src/config/config.ts';

test('tokens are valid for ever, or for a number of minutes from their issue and from their last use', () => {
  const unlimited = { absoluteMillis: undefined, idleMillis: undefined };
  expect(readConfig({}).tokenLifetimes).toEqual(unlimited);
  const off = { TOKEN_LIFETIME_MINUTES: 'off', TOKEN_IDLE_MINUTES: 'off' };
  expect(readConfig(off).tokenLifetimes).toEqual(unlimited);
  const on = { TOKEN_LIFETIME_MINUTES: '1440', TOKEN_IDLE_MINUTES: '1' };
  expect(readConfig(on).tokenLifetimes).toEqual({ absoluteMillis: 86_400_000, idleMillis: 60_000 });
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
