import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { importsIn } from './support/syntax.ts';

// The rules stand in docs/architecture.md, "Direction of imports": two drawings and a table.
const DOCUMENT = readFileSync('docs/architecture.md', 'utf8');
const [, SECTION = ''] = /^## Direction of imports\n([\s\S]*?)^## /m.exec(DOCUMENT) ?? [];

/** The groups of folders of a drawing, the highest first. */
const groupsIn = (drawing: string): string[][] => drawing.split(' -> ').map((group) => group.split(', '));
const [FOLDERS = [], FOLDERS_OF_API = []] = [...SECTION.matchAll(/^```\n(.*)\n```$/gm)].map(
  ([, drawing = '']) => groupsIn(drawing),
);

/** What only some folders may import: a library, the scope of one, or a folder. */
interface Restriction {
  what: string;
  users: string[];
}

const inCode = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const RESTRICTIONS: Restriction[] = [...SECTION.matchAll(/^\| (`.*) \| (`.*) \|$/gm)].flatMap(
  ([, imported = '', users = '']) => inCode(imported).map((what) => ({ what, users: inCode(users) })),
);

/** All that `src/api/pages` may import of `src`. */
const KNOWN_TO_PAGES = ['src/api/pages', 'src/api/http', 'src/system'];

/** True for a file of a folder, for a module of a library, and for the folder or library itself. */
const isIn = (folder: string, name: string): boolean =>
  name === folder || name.startsWith(`${folder.replace(/\/\*$/, '')}/`);

/** The path of a file from the root of the repository, or the name of a module of a package. */
const targetOf = (file: string, name: string): string =>
  name.startsWith('.') ? path.join(path.dirname(file), name) : name;

/** The folder of a file at a depth below `src`, or the name of a file that is not in one. */
const folderOf = (file: string, depth: number): string =>
  file.replace(/\.ts$/, '').split(path.sep)[depth] ?? '';

/** True for an import from a folder to one that is not further down. */
function isUpwards(groups: string[][], from: string, to: string): boolean {
  const indexOf = (folder: string) => groups.findIndex((group) => group.includes(folder));
  return from !== to && indexOf(to) <= indexOf(from);
}

const isWrongDirection = (file: string, target: string): boolean =>
  isUpwards(FOLDERS, folderOf(file, 1), folderOf(target, 1)) ||
  (isIn('src/api', file) &&
    isIn('src/api', target) &&
    isUpwards(FOLDERS_OF_API, folderOf(file, 2), folderOf(target, 2)));

const isUnknownToPages = (file: string, target: string): boolean =>
  isIn('src/api/pages', file) && !KNOWN_TO_PAGES.some((known) => isIn(known, target));

const isRestricted = (file: string, target: string): boolean =>
  RESTRICTIONS.some(
    ({ what, users }) =>
      isIn(what, target) && ![what, ...users.map((user) => `src/${user}`)].some((user) => isIn(user, file)),
  );

const isForbidden = (file: string, target: string): boolean =>
  isRestricted(file, target) ||
  (isIn('src', target) && (isWrongDirection(file, target) || isUnknownToPages(file, target)));

/** The imports of a source that a rule forbids. */
const forbiddenIn = (file: string, text: string): string[] =>
  importsIn(text)
    .map((name) => targetOf(file, name))
    .filter((target) => isForbidden(file, target))
    .map((target) => `${file} -> ${target}`);

// Git leaves empty folders behind, so the folders are those of the files.
const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join('src', name));

const foldersAt = (depth: number, files: string[]): string[] =>
  [...new Set(files.map((file) => folderOf(file, depth)))].sort();

test('docs/architecture.md has every folder of src in its drawings and in its table', () => {
  const folders = foldersAt(1, SOURCES);
  const ofApi = foldersAt(
    2,
    SOURCES.filter((file) => isIn('src/api', file)),
  );
  expect(FOLDERS.flat().sort()).toEqual(folders);
  expect(FOLDERS_OF_API.flat().sort()).toEqual(ofApi);
  const names = [
    ...folders.map((name) => (SOURCES.includes(`src/${name}.ts`) ? `${name}.ts` : name)),
    ...ofApi.map((name) => `api/${name}`),
  ];
  expect(names.filter((name) => !DOCUMENT.includes(`| \`src/${name}\` `))).toEqual([]);
});

test('a folder of src imports only what docs/architecture.md allows', () => {
  const texts = SOURCES.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  expect(texts.flatMap(({ text }) => importsIn(text)).length).toBeGreaterThan(500);
  expect(texts.flatMap(({ file, text }) => forbiddenIn(file, text))).toEqual([]);
});

const importing = (name: string) => `import { something } from '${name}';`;

/** A file of a folder that must not import it, for each restriction. */
const FORBIDDEN_USERS: Record<string, string> = {
  'src/api/graphql': 'src/monitoring/invented.ts',
  'src/api/rest': 'src/cli/check/invented.ts',
  'src/api/services': 'src/monitoring/invented.ts',
  'src/api/pages': 'src/cli/invented.ts',
  'src/api/inputs': 'src/cli/admin/invented.ts',
  'src/api/http': 'src/cli/admin/invented.ts',
  'src/monitoring': 'src/cli/check/invented.ts',
  express: 'src/api/inputs/invented.ts',
  graphql: 'src/api/rest/invented.ts',
  'type-graphql': 'src/api/http/invented.ts',
  '@apollo/*': 'src/api/inputs/invented.ts',
  '@as-integrations/*': 'src/api/http/invented.ts',
  'graphql-upload-minimal': 'src/api/inputs/invented.ts',
  'class-validator': 'src/auth/invented.ts',
  mongoose: 'src/auth/invented.ts',
  mongodb: 'src/cli/invented.ts',
  bson: 'src/documents/invented.ts',
  otpauth: 'src/auth/tokens/invented.ts',
  uqr: 'src/api/rest/invented.ts',
  '@simplewebauthn/server': 'src/auth/two-factor/invented.ts',
  nodemailer: 'src/auth/invented.ts',
  re2js: 'src/auth/invented.ts',
  'prom-client': 'src/database/invented.ts',
  '@opentelemetry/*': 'src/app/invented.ts',
  mysql2: 'src/cli/invented.ts',
  '@aws-sdk/*': 'src/config/invented.ts',
};

test('every restriction has a test', () => {
  expect(Object.keys(FORBIDDEN_USERS)).toEqual(RESTRICTIONS.map(({ what }) => what));
});

/** An import of a folder or library, or of a part of it. */
function importOf(what: string, file: string, part: string): string {
  const name = `${what.replace(/\/\*$/, '')}${part}`;
  return importing(isIn('src', what) ? path.relative(path.dirname(file), `${name}.ts`) : name);
}

test.each(Object.entries(FORBIDDEN_USERS))('an import of %s in %s is found', (what, file) => {
  expect(forbiddenIn(file, importOf(what, file, '/part'))).toHaveLength(1);
  const isWhole = !isIn('src', what) && !what.endsWith('/*');
  expect(isWhole ? forbiddenIn(file, importOf(what, file, '')) : ['']).toHaveLength(1);
  const { users = [] } = RESTRICTIONS.find((restriction) => restriction.what === what) ?? {};
  const allowed = users.map((user) => `src/${user}/invented.ts`).filter((user) => !isIn('src/api', user));
  expect(allowed.flatMap((user) => forbiddenIn(user, importOf(what, user, '/part')))).toEqual([]);
});

const pairsOf = (groups: string[][]): [string, string][] =>
  groups.flatMap((group, index) => {
    const notBelow = groups.slice(0, index + 1).flat();
    return group.flatMap((from) =>
      notBelow.filter((to) => to !== from).map((to): [string, string] => [from, to]),
    );
  });

test.each([
  ...pairsOf(FOLDERS).map((pair) => pair.map((name) => `src/${name}`)),
  ...pairsOf(FOLDERS_OF_API).map((pair) => pair.map((name) => `src/api/${name}`)),
  ...['src/api/inputs', 'src/auth', 'src/stores', 'src/documents'].map((to) => ['src/api/pages', to]),
])('an import from %s to %s is found', (from = '', to = '') => {
  const file = `${from}/invented.ts`;
  expect(forbiddenIn(file, importing(path.relative(from, `${to}/other.ts`)))).toEqual([
    `${file} -> ${to}/other.ts`,
  ]);
});

test.each([
  "import { something } from '../auth/other.ts';",
  "import {\n  something,\n  type Other,\n} from '../auth/other.ts';",
  "import something from '../auth/other.ts';",
  "import * as something from '../auth/other.ts';",
  "import type { Something } from '../auth/other.ts';",
  "import { type Something } from '../auth/other.ts';",
  "import '../auth/other.ts';",
  "export { something } from '../auth/other.ts';",
  "export * from '../auth/other.ts';",
  "export type { Something } from '../auth/other.ts';",
  "const { something } = await import('../auth/other.ts');",
  "void import('../auth/other.ts').then(({ something }) => something());",
  "type Something = import('../auth/other.ts').Something;",
  "const load = (): typeof import('../auth/other.ts') => require('../auth/other.ts');",
  "import something = require('../auth/other.ts');",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source
  'const part = require(`../auth/other.ts/${name}`);',
])('%s is found', (statement) => {
  expect(new Set(forbiddenIn('src/mail/invented.ts', statement)).size).toBe(1);
});

test.each([
  "import { something } from './other.ts';",
  "import { something } from '../system/other.ts';",
  "import { readFileSync } from 'node:fs';",
  "// import { something } from '../auth/other.ts';",
  "const text = `import { something } from '../auth/other.ts';`;",
])('%s is allowed', (statement) => {
  expect(forbiddenIn('src/mail/invented.ts', statement)).toEqual([]);
});
