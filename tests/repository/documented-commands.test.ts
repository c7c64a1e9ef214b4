import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ADMIN } from '../../src/cli/admin/group.ts';

interface Manifest {
  scripts: Record<string, string>;
}

const namesIn = (folder: string): string[] => readdirSync(folder).map((name) => path.join(folder, name));

const DOCUMENTS = [
  ...['.', 'docs', 'docs/migration', 'docs/operations', 'docs/security', 'bench', 'deploy']
    .flatMap(namesIn)
    .filter((name) => name.endsWith('.md')),
  ...[...namesIn('packages'), ...namesIn('examples')].map((folder) => path.join(folder, 'README.md')),
].filter((name) => existsSync(name));

const texts = DOCUMENTS.map((name) => ({ name, text: readFileSync(name, 'utf8') }));
const shellLines = texts.flatMap(({ name, text }) =>
  [...text.matchAll(/^```(?:sh|bash|shell)\n(.*?)^```/gms)].flatMap(([, code = '']) =>
    code.split('\n').map((line) => ({ name, line })),
  ),
);

test('a line to paste has nothing that an interactive shell takes for its history or for a comment', () => {
  expect(shellLines.length).toBeGreaterThan(80);
  // Shells leave a `!` alone before a blank, `=` or `(`, whatever quotes it is in. An interactive zsh knows no comments.
  const risky = shellLines.filter(({ line }) => /![^\s=(]|^\s*#|\s#\s/.test(line));
  expect(risky).toEqual([]);
});

/** What operators read besides the documents: the messages of the program, and the files that they install. */
const PRODUCTION = ['src', 'deploy'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => statSync(name).isFile()),
);
// The changelog names the commands of former versions, too.
const naming = [...DOCUMENTS.filter((name) => name !== 'CHANGELOG.md'), ...PRODUCTION].map((name) => ({
  name,
  text: readFileSync(name, 'utf8'),
}));

test('every npm script that a document, a message or an installed file names exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const named = naming.flatMap(({ name, text }) =>
    [...text.matchAll(/npm run (?:-s |--silent )*([a-z][a-z:-]*)/g)].map(([, script = '']) => ({
      name,
      script,
    })),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([]);
});

/** The names of commands after each first word; none for a command that takes only options. */
const AFTER: Record<string, readonly string[]> = {
  admin: [...ADMIN.commands.keys()],
  legacy: ['inspect', 'import', 'sync', 'verify', 'undo', 'back', 'finish'],
  db: ['move', 'serve', 'verify', 'backup', 'restore', 'export', 'import'],
  check: [''],
  start: [''],
  sweep: [''],
};

/** True for words that begin with a command, or name a group in a sentence. */
const isCommand = (group: string, words: string): boolean =>
  words === '' || (AFTER[group] ?? []).some((name) => name === '' || `${words} `.startsWith(`${name} `));

test('every command of auth-gateway that a document, a message or an installed file shows exists', () => {
  const shown = naming.flatMap(({ name, text }) =>
    [
      ...text.matchAll(
        /(?<=[`'"\n ]|^)auth-gateway (admin|check|legacy|db|sweep|start)((?: [a-z][a-z-]*){0,2})/g,
      ),
    ].map(([, group = '', words = '']) => ({ name, group, words: words.trim() })),
  );
  expect(shown.length).toBeGreaterThan(90);
  const isText = ({ words }: { words: string }) => /^(?:command|has|ask|and|in|is|which|of)\b/.test(words);
  expect(shown.filter((each) => !isText(each) && !isCommand(each.group, each.words))).toEqual([]);
});
