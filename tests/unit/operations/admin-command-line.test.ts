import { readFileSync } from 'node:fs';
import { ADMIN } from '../../../src/cli/admin/group.ts';
import { helpOf } from '../../../src/cli/command-help.ts';
import { readCommandLine, UsageError } from '../../../src/cli/command-line.ts';
import { runCommand } from '../../../src/commands.ts';
import { collectOutputs } from '../../support/program.ts';

const read = (words: string[]) => readCommandLine(ADMIN, words);
const helpAbout = async (...words: string[]): Promise<string> => {
  const request = await read([...words, '--help']);
  return 'help' in request ? request.help : '';
};

const EMAIL = ['--email', 'a@example.org'];
const LIST = ['accounts', 'list'];
const NEW = ['--name', 'Ada', ...EMAIL];
const REVIEWER = ['accounts', 'create', '--role', 'reviewer'];
const MEGABYTE = 'a'.repeat(1_000_000);

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
  ['two accounts', 'accounts', 'show', ...EMAIL, '--account', '7'],
  ['one account by two names', 'accounts', 'show', '--id', '7', '--account', '7'],
  ['a token without its account', 'tokens', 'revoke', '--id', '7'],
  ['an e-mail of a megabyte', 'accounts', 'show', '--email', `${MEGABYTE}@example.org`],
  ['an unknown role', 'accounts', 'list', '--role', 'king'],
  ['a search for nothing', 'accounts', 'search'],
  ['a search for a megabyte', 'accounts', 'search', MEGABYTE],
  ['a doctor without documents', 'accounts', 'create', '--role', 'doctor', ...NEW],
  ['an account without a role', 'accounts', 'create', ...NEW],
  ['an account without a name', ...REVIEWER, ...EMAIL],
  ['a name of two lines', ...REVIEWER, ...EMAIL, '--name', 'A\nB'],
  ['a name with NUL', ...REVIEWER, ...EMAIL, '--name', 'A\0B'],
  ['a name of a megabyte', ...REVIEWER, ...EMAIL, '--name', MEGABYTE],
  ['a phone of blanks', ...REVIEWER, ...NEW, '--phone', ' '],
  ['no new e-mail', 'accounts', 'set-email', ...EMAIL],
  ['a new e-mail that is none', 'accounts', 'set-email', ...EMAIL, '--to', 'a@b@'],
  ['a new e-mail of a megabyte', 'accounts', 'set-email', ...EMAIL, '--to', `${MEGABYTE}@example.org`],
  ['a status that is none', 'doctors', 'list', '--status', 'PENDING'],
  ['a rejection without a reason', 'doctors', 'reject', '--id', '7'],
  ['a reason of blanks', 'doctors', 'suspend', '--id', '7', '--reason', ' \n '],
  ['a reason with an escape sequence', 'doctors', 'approve', '--id', '7', '--reason', 'a\u001b[31m'],
  ['a reason of a megabyte', 'doctors', 'approve', '--id', '7', '--reason', MEGABYTE],
  ['a revision that is none', 'doctors', 'approve', '--id', '7', '--revision', '1.5'],
  ['a time that is none', 'audit', '--since', 'yesterday'],
  ['a month that is none', 'audit', '--since', '2026-13-01'],
  ['a day that is none', 'audit', '--since', '2026-02-30'],
  ['a time without a zone', 'audit', '--since', '2026-01-31T12:00'],
  ['a while of no unit', 'audit', '--since', '7'],
  ['an end that is none', 'audit', '--until', 'tomorrow'],
  ['an act that is none', 'audit', '--act', 'logn'],
  ['an outcome that is none', 'audit', '--outcome', 'ok'],
  ['a place in a list without a limit', 'audit', '--after', 'x'],
  ['two states', 'accounts', 'list', '--disabled', '--closed'],
  ['no new name', 'accounts', 'set-name', ...EMAIL],
  ['an empty name', 'accounts', 'set-name', ...EMAIL, '--to', ''],
  ['no new phone', 'accounts', 'set-phone', ...EMAIL],
  ['no mails', 'mails', 'retry'],
  ['one mail and all', 'mails', 'retry', '--id', '7', '--all'],
  ['a limit of nothing', 'audit', '--limit', '0'],
  ['a limit that is none', 'audit', '--limit', 'all'],
  ['a limit beyond all memory', 'audit', '--limit', '100001'],
])('%s is a mistake', async (_, ...words) => {
  await expect(read(words)).rejects.toThrow(UsageError);
});

test.each([
  [...LIST],
  ['accounts', 'list', '--role', 'reviewer', '--disabled', '--limit', '5', '--after', '7'],
  ['accounts', 'search', 'Ada Lovelace', '--prefix'],
  ['accounts', 'count', '--role', 'doctor'],
  ['accounts', 'create', '--role', 'reviewer', ...NEW, '--phone', '+1 555 0100', '--password-stdin'],
  ['accounts', 'set-email', ...EMAIL, '--to', ' b@example.org '],
  ['--json', 'tokens', 'revoke', ...EMAIL, '--all'],
  ['tokens', 'revoke', '--account', '7', '--id=7'],
  ['tokens', 'list', '--id', '7'],
  ['accounts', 'show', '--id', '7'],
  ['accounts', 'disable', '--account', '7'],
  ['accounts', 'enable', ...EMAIL],
  ['doctors', 'list', '--status', 'rejected', '--limit', '3'],
  ['doctors', 'approve', ...EMAIL, '--revision', '0'],
  ['doctors', 'suspend', '--account', '7', '--reason', 'x'.repeat(1_000)],
  ['accounts', 'list', '--closed', '--role', 'doctor'],
  ['accounts', 'set-phone', ...EMAIL, '--to', ''],
  ['accounts', 'unlock', ...EMAIL],
  ['accounts', 'reset-link', ...EMAIL, '--mail'],
  ['mails', 'list', ...EMAIL],
  ['mails', 'retry', '--all'],
  ['audit', '--act', 'login', '--outcome', 'failure', '--ip', '192.0.2.1', '--until', '1h'],
  ['audit'],
  ['audit', ...EMAIL, '--account', '7', '--since', '30m', '--limit', '10', '--json'],
  ['audit', '--since', '2026-01-31T12:00+01:00'],
  ['audit', '--since', '2028-02-29T00:30+01:00'],
])('this is understood: %s %s %s %s', async (...words) => {
  expect(await read(words)).toMatchObject({
    task: expect.any(Function),
    isJson: words.includes('--json'),
  });
});

test.each([' Anna Ω ', '😀'.repeat(64)])('--as takes the name %j', async (as) => {
  expect(await read([...LIST, '--as', as])).toMatchObject({ task: expect.any(Function) });
});

const NOT_SHOWN = ['a\nb', 'a\u001b[31m', 'a\u202eb', 'a\ud800', 'a\0'];

test.each(['', ' ', 'a'.repeat(65), MEGABYTE, ...NOT_SHOWN])(
  '--as refuses a name that the audit trail cannot show: %.20j',
  async (as) => {
    await expect(read([...LIST, '--as', as])).rejects.toThrow(
      /^--as must be a name of 1 to 64 printable characters\.$/,
    );
  },
);

test.each([['admin'], ['sweep'], ['check'], ['start'], ['legacy'], ['db', 'move']])(
  '%s %s refuses an empty word, and its help needs no settings',
  async (...words) => {
    const noSettings = () => {
      throw new Error('the settings were read');
    };
    const run = (...more: string[]) =>
      collectOutputs((streams) => runCommand([...words, ...more], noSettings, streams));
    expect(await run('')).toMatchObject({ code: 2, stdout: '' });
    const name = `auth-gateway ${words.join(' ')}`;
    const help = await run('--help');
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`usage: ${name}`) });
    expect(help.stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  },
);

test.each([
  [['--version'], 0, /^\d+\.\d+\.\d+\S*\n$/],
  [['--help'], 0, /^usage: auth-gateway <command>(?![\s\S]*\n {2}doctor)/],
  // The former name of `check`.
  [['doctor', '--help'], 0, /^usage: auth-gateway check /],
  [[], 2, /^auth-gateway: There is no such command\. There are start, admin, /],
  [['admn'], 2, /^auth-gateway: There is no such command\. Did you mean admin\?\nSee auth-gateway --help\n$/],
  [['db', 'export', '--', 'X'], 2, /^export takes options only\.\n/],
  [['start', 'now'], 2, /^auth-gateway start: It takes no words/],
])('auth-gateway %j ends with %d', async (words, code, text) => {
  const result = await collectOutputs((streams) => runCommand(words, () => ({}), streams));
  expect(result.code).toBe(code);
  expect(result.stdout + result.stderr).toMatch(text);
});

const TOO_MANY_WORDS =
  'There are too many words. An account is --email E or --account ID; put a text with blanks in quotes.';

test.each([
  ['There is no such command. Did you mean accounts show?', 'accounts', 'shwo'],
  ['There is no such command. Did you mean accounts?', 'acounts', 'frobnicate'],
  ['There is no such command. There are tokens list, tokens revoke.', 'tokens', 'steal'],
  ['There is no such command. There are tokens list, tokens revoke.', 'tokens'],
  ['There is no such command.', 'hunter2'],
  ['There is no such command.', 'x'.repeat(100_000)],
  [TOO_MANY_WORDS, 'accounts', 'search', 'Ada', 'Lovelace'],
  [TOO_MANY_WORDS, 'accounts', 'show', 'ada@example.org'],
  ['There is no option --emial. Did you mean --email?', 'audit', '--emial=hunter2'],
  ['There is no option --hunter2.', 'audit', '--hunter2', 'x'],
  ['There is no option --xx.', 'audit', '--xx'],
  ['There is no option --xat.', 'audit', '--xat'],
  [`There is no option --${'x'.repeat(64)}.`, 'audit', `--${'x'.repeat(100_000)}`],
  ["Unknown option '-x'.", 'audit', '-x'],
  ['This command has no option --all.', 'audit', '--all'],
])('a mistake gets the text: %.70s', async (message, ...words) => {
  await expect(read(words)).rejects.toThrow(expect.objectContaining({ constructor: UsageError, message }));
});

test('with --help, a mistake in the rest of the command line is not reported', async () => {
  const help = await helpAbout();
  expect(await helpAbout('nothing')).toBe(help);
  expect(await helpAbout('--json', '--role', 'king')).toBe(help);
});

test('the help of a subject has its commands alone, that of a command only this', async () => {
  const all = await helpAbout();
  expect(all).toContain('accounts list');
  expect(all.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(all).toContain('\n\n  doctors list');
  const tokens = await helpAbout('tokens');
  expect(tokens).toContain('  tokens list');
  expect(tokens).not.toContain('accounts list');
  const revoke = await helpAbout('tokens', 'revoke');
  expect(revoke).toMatch(/^usage: auth-gateway admin tokens revoke \(/);
  expect(revoke).not.toContain('tokens list');
});

test('each line of a summary begins a line of the help, and is wrapped on its own', () => {
  const sync = {
    usage: '[--dry-run]',
    summary: `${'word '.repeat(30)}\n--dry-run only counts.`,
  };
  const group = { name: 'program', commands: new Map([['sync', sync]]), notes: '  The end.\n' };
  expect(helpOf(group, []).split('\n')).toEqual([
    'usage: program sync [--dry-run]',
    '',
    '  sync [--dry-run]',
    `      ${'word '.repeat(19)}`.trimEnd(),
    `      ${'word '.repeat(11)}`.trimEnd(),
    '      --dry-run only counts.',
    '',
    '  The end.',
    '',
  ]);
});

test('docs/operations/admin.md has every command in its table', () => {
  const rows = readFileSync('docs/operations/admin.md', 'utf8').matchAll(/^\| `([a-z-]+(?: [a-z-]+)?)/gm);
  const documented = new Set([...rows].map(([, name]) => name));
  expect([...ADMIN.commands.keys()].filter((name) => !documented.has(name))).toEqual([]);
});
