import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ENDINGS, type EndingAct, endingsOf } from '../../src/stores/account-endings.ts';

/*
 * Compares docs/contract.md with schema/openapi.yaml. `npm run check` compares openapi.yaml with the routes, the inputs and
 * the errors; other tests compare it with the answers.
 */
interface Schema {
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
