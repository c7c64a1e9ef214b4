import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

function pagesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.map((name) => `${folder}/${name}`);
}

/** The documents, each with the folders that its short paths begin in. The root of the repository is always one of them. */
const DOCUMENTS: Record<string, string[]> = {
  'README.md': [],
  'SECURITY.md': [],
  'CONTRIBUTING.md': [],
  'docs/architecture.md': ['src', 'schema'],
  'docs/decisions.md': ['src'],
  'docs/behind-the-gateway.md': ['examples/router'],
  'docs/events.md': [],
  'docs/client.md': ['examples/clients/react', 'examples/clients/react/src'],
  'docs/contract.md': [],
  'docs/graphql.md': [],
  'docs/migration.md': [],
  'docs/npm.md': [],
  'docs/operations.md': [],
  'docs/performance.md': [],
  'docs/rest.md': ['tests/openapi/consumer'],
  'docs/security.md': ['src', 'tests'],
  'docs/settings.md': [],
  'docs/web-servers.md': [],
  ...Object.fromEntries(pagesIn('docs/web-servers').map((page) => [page, ['src', 'app']])),
  'bench/README.md': ['bench'],
  'bench/profiling.md': [],
  'deploy/README.md': ['deploy', 'tests/services'],
  'packages/client/README.md': ['packages/client'],
  'examples/web/README.md': ['examples/web'],
  'examples/clients/README.md': [
    'examples/clients',
    'examples/clients/codegen/src',
    'examples/clients/apollo/src',
    'examples/clients/graphql-request/src',
  ],
  'examples/appointments/README.md': ['examples/appointments'],
  'packages/guard/README.md': ['packages/guard'],
  'packages/embedded-mongo/README.md': ['packages/embedded-mongo', 'packages/embedded-mongo/src'],
  'packages/testing/README.md': ['packages/testing'],
  ...Object.fromEntries(pagesIn('docs/migration').map((page) => [page, []])),
  ...Object.fromEntries(pagesIn('docs/people').map((page) => [page, []])),
  ...Object.fromEntries(pagesIn('docs/operations').map((page) => [page, []])),
  ...Object.fromEntries(pagesIn('docs/security').map((page) => [page, ['src', 'tests']])),
};
/** Paths in the reader's own project, and files that a command writes. */
const NOT_OURS = [
  'src/gql/enums.ts',
  'backup.json',
  'collections.json',
  'deploy/secrets',
  'indexes.js',
  'node_modules/.cache/auth-gateway',
  'summary.json',
];
const SOURCE = /\.(?:ts|mts|js|mjs|cjs|json|jsonc|md|yaml|graphql|http)$/;
/** A test may be named without the end of its name. */
const ENDS = ['', '.test.ts'];

interface Mention {
  document: string;
  name: string;
  bases: string[];
}

const withoutBlocks = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** The words of all inline code, without the blocks of code. */
function wordsInCode(text: string): string[] {
  return [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => code.split(' '));
}

/** True for a name of a source file, and for a path that begins with a folder of one of the bases. */
function isPath(name: string, bases: string[]): boolean {
  if (!/^[\w.][\w.<>*/-]*$/.test(name) || NOT_OURS.includes(name)) {
    return false;
  }
  const [first = '', ...rest] = name.split('/');
  return SOURCE.test(name) || (rest.length > 0 && bases.some((base) => existsSync(path.join(base, first))));
}

/** The part of a path before its first placeholder: `src/api/inputs` of `src/api/inputs/<name>.input.ts`. */
const withoutPlaceholders = (name: string): string => name.replace(/\/?[^/]*[<*].*$/, '');

const mentions: Mention[] = Object.entries(DOCUMENTS).flatMap(([document, folders]) => {
  const bases = ['.', ...folders];
  const names = wordsInCode(readFileSync(document, 'utf8')).filter((name) => isPath(name, bases));
  return names.map((name) => ({ document, name, bases }));
});

const exists = ({ name, bases }: Mention): boolean =>
  bases.some((base) => ENDS.some((end) => existsSync(path.join(base, withoutPlaceholders(name) + end))));

test('every document of the repository is checked for its paths', () => {
  const ofPackages = readdirSync('packages').map((name) => `packages/${name}/README.md`);
  const names = [...ofPackages, ...pagesIn('docs'), 'README.md', 'SECURITY.md', 'CONTRIBUTING.md'];
  expect(names.filter((name) => !(name in DOCUMENTS))).toEqual([]);
});

test('every path that a document names in code exists', () => {
  expect(mentions.length).toBeGreaterThan(200);
  const missing = mentions.filter((mention) => !exists(mention));
  expect(missing.map(({ document, name }) => `${document}: ${name}`)).toEqual([]);
});

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(document: string): string[] {
  const prose = withoutBlocks(readFileSync(document, 'utf8'));
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

test('every link of a document leads to a file, and to a heading of it', () => {
  const links = Object.keys(DOCUMENTS).flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\]\(([^)#:\s]*)(?:#([^)\s]+))?\)/g)].map(
      ([, file = '', anchor]) => ({
        document,
        target: file === '' ? document : path.join(path.dirname(document), file),
        anchor,
      }),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(
    ({ target, anchor }) =>
      !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  );
  expect(broken).toEqual([]);
});
