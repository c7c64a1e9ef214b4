import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ENDINGS, type EndingAct, endingsOf } from '../../src/stores/account-endings.ts';

/*
 * Compares docs/contract.md with schema/openapi.yaml. `npm run check` compares openapi.yaml with the routes, the inputs and
 * the errors; other tests compare it with the answers.
 */
interface Schema {
  required?: string[];
  properties?: Record<string, { const?: string; enum?: string[] }>;
}

const contract = readFileSync('docs/contract.md', 'utf8');
const { paths, components } = parse(readFileSync('schema/openapi.yaml', 'utf8')) as {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  components: { schemas: Record<string, Schema> };
};

/** The text below a heading of the second level. */
const sectionOf = (heading: string): string =>
  contract.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

const ENDPOINTS = [
  ['Register a doctor', 'register/doctor', 'DoctorRegistration'],
  ['Register a patient', 'register/patient', 'PatientRegistration'],
  ['Login', 'login', 'Credentials'],
] as const;

test.each(ENDPOINTS)('"%s" has the fields of the request, and which are required', (heading, _path, name) => {
  const { required = [], properties = {} } = components.schemas[name] ?? {};
  const rows = [...sectionOf(heading).matchAll(/^\| `(\w+)` .*?\| (yes|no) /gm)];
  expect(rows.map(([, field, isRequired]) => [field, isRequired]).sort()).toEqual(
    Object.keys(properties)
      .map((field) => [field, required.includes(field) ? 'yes' : 'no'])
      .sort(),
  );
});

const PATHS: [string, string][] = [
  ...ENDPOINTS.map(([heading, path]): [string, string] => [heading, path]),
  ['Logout', 'logout'],
];

test.each(PATHS)('"%s" has the statuses of the answers', (heading, path) => {
  const statuses = Object.keys(paths[`/api/v1/auth/${path}`]?.post?.responses ?? {});
  expect(statuses.length).toBeGreaterThan(3);
  const section = sectionOf(heading);
  const errors = /^Errors: (.*)\.$/m.exec(section)?.[1]?.split(', ') ?? [];
  const success = /Success is\s(\d+)/.exec(section)?.[1];
  expect([success, ...errors]).toEqual(statuses);
});

test('docs/rest.md has every endpoint, and no other', () => {
  const rows = [...readFileSync('docs/rest.md', 'utf8').matchAll(/^\| `([A-Z]+ \/api\/v1\/\S+)` \|/gm)];
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(rows.map(([, endpoint]) => endpoint).sort()).toEqual(
    endpoints.filter((endpoint) => endpoint.includes(' /api/v1/')).sort(),
  );
});

test('the contract has every fixed text of an error', () => {
  const texts = Object.values(components.schemas).flatMap(({ properties }) => {
    const { const: fixed, enum: several = [] } = properties?.message ?? {};
    return fixed === undefined ? several : [fixed];
  });
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.filter((text) => !contract.includes(text))).toEqual([]);
});

/** How the table of the contract has the access tokens that an act ends. */
const TOKENS = {
  all: 'all end',
  others: 'all but its own end',
  chosen: 'those that the caller names',
  none: '–',
};

test('"What each act ends" is the table by which the acts end it', () => {
  const row = (act: EndingAct) => {
    const { renews, tokens, removesLinks = false, clearsCounts = false } = endingsOf(act);
    const columns = [renews === 'both' || removesLinks, renews !== 'none'].map((ends) =>
      ends ? 'end' : '–',
    );
    return `| ${[act, TOKENS[tokens], ...columns, clearsCounts ? 'start anew' : '–'].join(' | ')} |`;
  };
  const rows = sectionOf('What each act ends')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  expect(rows.slice(2)).toEqual((Object.keys(ENDINGS) as EndingAct[]).map(row));
});
