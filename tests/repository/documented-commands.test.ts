import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  scripts: Record<string, string>;
}

const namesIn = (folder: string): string[] => readdirSync(folder).map((name) => path.join(folder, name));

const DOCUMENTS = [
  ...['.', 'docs', 'docs/operations', 'docs/security', 'bench', 'deploy']
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

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const named = texts.flatMap(({ name, text }) =>
    [...text.matchAll(/npm run (?:-s |--silent )*([a-z][a-z:-]*)/g)].map(([, script = '']) => ({
      name,
      script,
    })),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter(({ script }) => !(script in scripts))).toEqual([]);
});

test('docs/settings.md has every setting, and no other', () => {
  const source = namesIn('src/config')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  // Amazon documents the variables of its own platforms.
  const names = [...source.matchAll(/'((?!AWS_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)'/g)].map(([, name]) => name);
  const read = new Set(names);
  const page = readFileSync('docs/settings.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name);
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((name) => !read.has(name))).toEqual([]);
  // The former name of a setting has no row.
  expect([...read].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
