import { jest } from '@jest/globals';
import { AccountResolver } from '../../../src/api/graphql/resolvers/account.resolver.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import { askEntities, type EntitiesBody, errorsIn, reference, SUBGRAPH } from '../../support/federation.ts';
import type { GraphqlBody } from '../../support/graphql-api.ts';
import { type HttpResponse, jsonOf, sendJson } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { watchCommands } from '../../support/watch-commands.ts';

/*
 * A reference costs 40 bytes, and a profile has up to 15,000 characters. One account may be referred to a hundred times, and its
 * profile selected under fifteen aliases.
 */
const behind = useProxiedApp(SUBGRAPH);
const url = () => behind.app.url;
const LONG = 'x'.repeat(5_000);
const TEXTS = 'workHistory publications practiceAddress';

const threeTexts = (text: string) => ({ workHistory: text, publications: text, practiceAddress: text });
const doctor = async (text = LONG) =>
  registeredDoctor(await restApi(url()).registerDoctor(aDoctor(threeTexts(text))));

const aliases = (count: number, selection: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${selection}`).join(' ');
const profiles = (count: number, fields = TEXTS) => aliases(count, `profile { ${fields} }`);

const TOO_MANY = ['GRAPHQL_VALIDATION_FAILED', 'An operation must not present more than 200 profiles.'];
const TOO_LONG = [
  'GRAPHQL_VALIDATION_FAILED',
  'An operation must not ask for more than 5 million characters. Ask for fewer items, or fewer fields of each.',
];
const problemOf = (http: HttpResponse) => [http.status, errorsIn(jsonOf<GraphqlBody<unknown>>(http))[0]];

test('two hundred profiles of one account are one query and 3 MB', async () => {
  const { account, token } = await doctor();
  const references = Array.from({ length: 100 }, () => reference(account.id));
  const commands = watchCommands(behind.proxy);
  const http = await askEntities(url(), references, bearer(token), profiles(2));
  expect(http.text.split(LONG)).toHaveLength(1 + 100 * 2 * 3);
  expect(http.text.length).toBeLessThan(100 * 2 * 3 * (LONG.length + 50));
  // The token with its account, and the profile.
  const names = commands.map(({ name }) => name);
  expect(names.filter((name) => name === 'find doctor_profiles')).toHaveLength(1);
  expect(names.length).toBeLessThanOrEqual(3);
});

describe('an operation is refused before any query', () => {
  const fragment = `fragment A on Account { ${profiles(3, 'licenseNumber')} }`;
  const query = (selections: string, more = '') =>
    `query ($r: [_Any!]!) { ${selections} } ${more} fragment P on Account { profile { licenseNumber } }`;

  test.each<[string, string, unknown[]]>([
    [
      'with 15 profiles of 100 references',
      query(`_entities(representations: $r) { ... on Account { ...P ${profiles(15)} } }`),
      TOO_MANY,
    ],
    [
      'with 15 small ones',
      query(`_entities(representations: $r) { ...P ... on Account { ${profiles(15, 'licenseNumber')} } }`),
      TOO_MANY,
    ],
    ['with 3 in a fragment', query('_entities(representations: $r) { ...P ...A }', fragment), TOO_MANY],
    [
      'with 2 of each of 100 references, and the own one',
      query(
        `me { ...P } _entities(representations: $r) { ... on Account { ${profiles(2, 'licenseNumber')} } }`,
      ),
      TOO_MANY,
    ],
    [
      'with aliases of a long text',
      query(
        `_entities(representations: $r) { ...P ... on Account { profile { ${aliases(11, 'workHistory')} } } }`,
      ),
      TOO_LONG,
    ],
    [
      'with all events of an export, ten times',
      `{ exportMyData { ${aliases(10, 'events { act at channel ip userAgent lastAt }')} } }`,
      TOO_LONG,
    ],
  ])('%s', async (_case, document, problem) => {
    const { account, token } = await doctor();
    const commands = watchCommands(behind.proxy);
    const variables = document.includes('$r')
      ? { r: Array.from({ length: 100 }, () => reference(account.id)) }
      : {};
    const http = await sendJson(`${url()}/graphql`, { query: document, variables }, bearer(token));
    expect(problemOf(http)).toEqual([400, problem]);
    expect(commands).toEqual([]);
  });
});

test('selections of one name are one profile, and other accounts have none', async () => {
  const { account, token } = await doctor();
  const references = Array.from({ length: 100 }, () => reference(account.id));
  const same =
    'profile { licenseNumber } ... on Account { profile { licenseNumber } } profile { specialization }';
  const http = await askEntities(url(), references, bearer(token), `${same} ${same} ${same}`);
  expect(jsonOf<GraphqlBody<object>>(http).errors).toBeUndefined();
});

test('fields that fail are one line in the log, with their number', async () => {
  const { account, token } = await doctor();
  jest.spyOn(AccountResolver.prototype, 'createdAt').mockImplementation(() => {
    throw new TypeError('a defect');
  });
  const references = Array.from({ length: 100 }, () => reference(account.id));
  const http = await askEntities(url(), references, bearer(token), 'createdAt');
  expect(jsonOf<GraphqlBody<object>>(http).errors).toHaveLength(100);
  const id = http.headers.get('x-request-id') ?? '';
  const linesOf = () => behind.app.log.filter((line) => line.includes(id)).map((line) => JSON.parse(line));
  await eventually(() => expect(linesOf()).toHaveLength(2));
  expect(linesOf()).toMatchObject([{ msg: 'unexpected error', failures: 100 }, { operation: '_entities' }]);
});

// A long answer is encoded in parts. A character of two halves is where one of them ends, in one of the two cases or the other.
test.each([
  ['of one byte', LONG],
  ['of three bytes', '漢'.repeat(5_000)],
  ['of two halves', '😀'.repeat(2_500)],
  ['of two halves, behind another', `x${'😀'.repeat(2_499)}`],
])('an answer of 900,000 characters %s is whole', async (_case, text) => {
  const { account, token } = await doctor(text);
  const references = Array.from({ length: 60 }, () => reference(account.id));
  // Apollo Server answers the first, and the fast path the second.
  for (const _time of [1, 2]) {
    const http = await askEntities(url(), references, bearer(token), `profile { ${TEXTS} }`);
    expect(jsonOf<EntitiesBody>(http).data?._entities).toEqual(Array(60).fill({ profile: threeTexts(text) }));
    expect(Number(http.headers.get('content-length'))).toBe(Buffer.byteLength(http.text));
  }
});
