import { readConfig } from '../../../src/config/config.ts';

const misspeltIn = (environment: Record<string, string>) => readConfig(environment).misspelt;

test('variables that are almost the name of a setting are found, and the name that was meant', () => {
  expect(
    misspeltIn({ RATE_LIMITS: 'off', SMTP_ULR: 'hunter2', METRICS_PROT: '1', LOG_LEVEL: 'info' }),
  ).toEqual([
    { name: 'RATE_LIMITS', meant: 'RATE_LIMIT' },
    { name: 'SMTP_ULR', meant: 'SMTP_URL' },
    { name: 'METRICS_PROT', meant: 'METRICS_PORT' },
  ]);
});

test('settings, their files, and the variables of other programs are no mistakes', () => {
  const settings = { PORT: '1', SMTP_URL: '', BACKUP_KEY_FILE: '', TRUST_PROXY: '' };
  const others = [
    'PATH',
    'HOME',
    'HOSTS',
    'PORTS',
    'PWD',
    'LANG',
    'LOGNAME',
    'LC_ALL',
    'NODE_OPTIONS',
    'TZ',
    'XDG_DATA_DIRS',
  ];
  expect(misspeltIn({ ...settings, ...Object.fromEntries(others.map((name) => [name, 'x'])) })).toEqual([]);
});
