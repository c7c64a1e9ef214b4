import { jest } from '@jest/globals';
import { type Arbitrary, assert, asyncProperty, constantFrom, integer, tuple } from 'fast-check';
import { type GraphqlBody, sendAsForm } from '../support/graphql-api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../support/http.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered } from './support/harmless.ts';
import { AROUND, DEFINING, EXECUTABLE, type NamedDocument } from './support/named-documents.ts';

/*
 * What makes graphql-js compare, sort or nest names is chosen by the caller. So every name of a document and of the JSON around it
 * is filled here, at each endpoint that takes a document. The names of a request are similar: such pairs take the longest.
 */
const RUNS = { numRuns: 40 };
const LONGEST = 255;
/** Four names of the longest fit into a JSON body, and of a seventh of that into a URL. */
const LENGTHS = [8, 12, LONGEST - 1, LONGEST, LONGEST + 1, 3_500];
const LONG_LENGTHS = [...LENGTHS, 24_000];

/** Names that differ only at their ends, so that no early end of a comparison is met. */
const similar = (length: number, end: string) => `${'Zq'.repeat(length).slice(0, length - 1)}${end}`;
const OURS = /^Zq/;

const namesOf = (lengths: number[]): Arbitrary<[string, string, string]> =>
  tuple(constantFrom(...lengths), integer({ min: 0, max: 2 })).map(([length, shorter]) => [
    similar(length, 'a'),
    similar(length - shorter, 'b'),
    similar(length - 2 * shorter, 'c'),
  ]);

/**
 * Watches for names that graphql-js compares with others for "Did you mean": it writes each in lower case first.
 * @returns a function that returns those that match
 */
function watchComparisons(): (pattern: RegExp) => string[] {
  const lowerCase = jest.spyOn(String.prototype, 'toLowerCase').mockClear();
  return (pattern) => lowerCase.mock.contexts.map(String).filter((text) => pattern.test(text));
}

type Send = (url: string, query: string) => Promise<HttpResponse>;

const asJson: Send = (url, query) => sendJson(`${url}/graphql`, { query });
const asGet: Send = (url, query) => send(`${url}/graphql?query=${encodeURIComponent(query)}`);
const asForm: Send = (url, query) => sendAsForm(url, JSON.stringify({ query }));
const ENDPOINTS: [string, Send, number[]][] = [
  ['JSON', asJson, LONG_LENGTHS],
  ['GET', asGet, LENGTHS],
  ['a form', asForm, LONG_LENGTHS],
];

const errorOf = (http: HttpResponse) => jsonOf<GraphqlBody<unknown>>(http).errors?.[0];
const refusal = (message: string) => ({ message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
const TOO_LONG = refusal('The document must not have a name of more than 255 characters.');
const NOT_EXECUTABLE = refusal('The document must have only operations and fragments.');

const apps = {
  off: useTestApp({ FEDERATION: 'on', GRAPHQL_INTROSPECTION: 'off' }),
  on: useTestApp({ FEDERATION: 'on', GRAPHQL_INTROSPECTION: 'on' }),
};
const urlOf = (introspection: 'off' | 'on') => apps[introspection].url;

const longestNameIn = (document: string) =>
  Math.max(...Array.from(document.replace(/"""[^"]*"""/g, '').matchAll(/\w+/g), ([name]) => name.length));

describe.each(ENDPOINTS)('a document by %s', (_endpoint, sendDocument, lengths) => {
  const fill = (documents: Record<string, NamedDocument>) =>
    tuple(
      constantFrom(...Object.keys(documents)),
      namesOf(lengths),
      constantFrom<('off' | 'on')[]>('off', 'on'),
    );

  test('with any names in any position is refused if a name is too long, and is harmless otherwise', async () => {
    const compared = watchComparisons();
    await assert(
      asyncProperty(fill(EXECUTABLE), async ([position, names, introspection]) => {
        const document = EXECUTABLE[position]?.(...names) ?? '';
        const http = await answered(() => sendDocument(urlOf(introspection), document));
        const isTooLong = longestNameIn(document) > LONGEST;
        expect([position, http.status === 400 && errorOf(http)?.message === TOO_LONG.message]).toEqual([
          position,
          isTooLong,
        ]);
      }),
      RUNS,
    );
    expect(compared(/./).filter((name) => name.length > LONGEST && OURS.test(name))).toEqual([]);
  });

  test('with a definition or an extension of a type is refused, whatever its names are', async () => {
    const compared = watchComparisons();
    await assert(
      asyncProperty(fill(DEFINING), async ([kind, names, introspection]) => {
        const document = DEFINING[kind]?.(...names) ?? '';
        const http = await answered(() => sendDocument(urlOf(introspection), document));
        expect([kind, http.status]).toEqual([kind, 400]);
        const expected = longestNameIn(document) > LONGEST ? [TOO_LONG, NOT_EXECUTABLE] : [NOT_EXECUTABLE];
        expect(expected).toContainEqual(errorOf(http));
      }),
      RUNS,
    );
    expect(compared(OURS)).toEqual([]);
  });
});

test('names around the document are compared with none', async () => {
  const compared = watchComparisons();
  await assert(
    asyncProperty(
      tuple(
        constantFrom(...Object.keys(AROUND)),
        namesOf(LONG_LENGTHS),
        constantFrom<('off' | 'on')[]>('off', 'on'),
      ),
      async ([place, names, introspection]) => {
        const body = AROUND[place]?.(...names);
        const http = await answered(() => sendJson(`${urlOf(introspection)}/graphql`, body));
        expect(errorOf(http)).toBeDefined();
      },
    ),
    RUNS,
  );
  expect(compared(OURS)).toEqual([]);
});

test.each([
  ['JSON', asJson, 45_000],
  ['a form', asForm, 45_000],
  ['GET', asGet, 7_000],
])('two names as long as %s allows are not compared', async (_endpoint, sendDocument, length) => {
  const compared = watchComparisons();
  for (const make of [DEFINING['a type'], DEFINING['a scalar first'], DEFINING['a union']]) {
    const document = make?.(similar(length, 'a'), similar(length, 'b'), 'c') ?? '';
    const http = await answered(() => sendDocument(urlOf('off'), document));
    expect([http.status, [TOO_LONG, NOT_EXECUTABLE]]).toEqual([400, expect.arrayContaining([errorOf(http)])]);
  }
  expect(compared(OURS)).toEqual([]);
});

describe('each measure alone', () => {
  test('with introspection off, no name of a document is compared with another', async () => {
    const names = ['Zqa', 'Zqb', 'Zqc'] as const;
    const compared = watchComparisons();
    for (const document of Object.values(EXECUTABLE)) {
      await asJson(urlOf('off'), document(...names));
    }
    expect(compared(OURS)).toEqual([]);
    // Proof that comparisons are seen: with introspection on, a similar name is suggested.
    const http = await asJson(urlOf('on'), '{ meZqa }');
    expect(http.text).toContain('meZqa');
    expect(compared(/meZqa/)).not.toEqual([]);
  });

  test('a name of 255 characters is read, and one of 256 is not', async () => {
    const alias = (length: number) => `{ ${similar(length, 'a')}: __typename }`;
    expect(jsonOf(await asJson(urlOf('off'), alias(LONGEST)))).toEqual({
      data: { [similar(LONGEST, 'a')]: 'Query' },
    });
    const refused = await asJson(urlOf('off'), alias(LONGEST + 1));
    expect([refused.status, errorOf(refused)]).toEqual([400, TOO_LONG]);
  });

  test('texts, comments and descriptions may be longer than names', async () => {
    const long = 'x'.repeat(20_000);
    for (const document of [
      `{ __typename } # ${long}`,
      `"${long}" query A { __typename }`,
      `"""type""" query A { __typename }`,
    ]) {
      expect(jsonOf(await asJson(urlOf('off'), document))).toEqual({ data: { __typename: 'Query' } });
    }
    const login = `mutation { login(input: { email: "${long}", password: """${long}""" }) { token } }`;
    expect(errorOf(await asJson(urlOf('off'), login))?.extensions?.code).toBe('BAD_USER_INPUT');
  });

  test('the words of definitions may be names', async () => {
    const document =
      'query type { extend: __typename ...input } fragment input on Query { schema: __typename @skip(if: false) }';
    expect(jsonOf(await asJson(urlOf('off'), document))).toEqual({
      data: { extend: 'Query', schema: 'Query' },
    });
  });
});
