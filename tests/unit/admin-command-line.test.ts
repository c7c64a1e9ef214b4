import { readCommandLine } from '../../src/cli/admin/command-line.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

const EMAIL = ['--email', 'a@example.org'];

test.each([
  ['nothing'],
  ['half a command', 'tokens', ...EMAIL],
  ['more than a command', 'tokens', 'list', 'all', ...EMAIL],
  ['an empty word after a command', 'tokens', 'list', '', ...EMAIL],
  ['an unknown command', 'tokens', 'steal'],
  ['no id of a service', 'clients', 'new'],
  ['an empty id of a service', 'clients', 'new', ''],
  ['an id with a colon', 'clients', 'new', 'a:b'],
  ['two ids', 'clients', 'new', 'a', 'b'],
  ['an option of clients new', 'clients', 'new', 'a', '--all'],
  ['an unknown option', 'audit', '--emial', 'a@example.org'],
  ["another command's option", 'audit', '--all'],
  ['no e-mail', 'tokens', 'list'],
  ['an e-mail without a value', 'accounts', 'show', '--email'],
  ['an empty e-mail', 'accounts', 'disable', '--email', ''],
  ['a revocation of nothing', 'tokens', 'revoke', ...EMAIL],
  ['a revocation of both', 'tokens', 'revoke', ...EMAIL, '--all', '--id', 'x'],
  ['a time that is none', 'audit', '--since', 'yesterday'],
  ['a month that is none', 'audit', '--since', '2026-13-01'],
  ['a day that is none', 'audit', '--since', '2026-02-30'],
  ['a time without a zone', 'audit', '--since', '2026-01-31T12:00'],
  ['a while of no unit', 'audit', '--since', '7'],
  ['a limit of nothing', 'audit', '--limit', '0'],
  ['a limit that is none', 'audit', '--limit', 'all'],
  ['a limit beyond all memory', 'audit', '--limit', '100001'],
])('%s is a mistake', (_, ...words) => {
  expect(() => readCommandLine(words)).toThrow(UsageError);
});

test.each([
  ['tokens', 'list', ...EMAIL],
  ['--json', 'tokens', 'revoke', ...EMAIL, '--all'],
  ['tokens', 'revoke', ...EMAIL, '--id=7'],
  ['accounts', 'show', ...EMAIL],
  ['accounts', 'disable', ...EMAIL],
  ['accounts', 'enable', ...EMAIL],
  ['audit'],
  ['audit', ...EMAIL, '--account', '7', '--since', '30m', '--limit', '10', '--json'],
  ['audit', '--since', '2026-01-31T12:00+01:00'],
  ['audit', '--since', '2028-02-29T00:30+01:00'],
])('this is understood: %s %s %s %s', (...words) => {
  expect(readCommandLine(words)).toEqual({ task: expect.any(Function), isJson: words.includes('--json') });
});

test('with --help, a mistake in the rest of the command line is not reported', () => {
  for (const words of [['--help'], ['tokens', '--help'], ['tokens', 'revoke', '--help']]) {
    expect(readCommandLine(words).task).toBeUndefined();
  }
});
