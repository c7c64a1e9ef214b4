import { encode, filePart, openUpload, sendParts, textPart } from '../documents/support/parts.ts';
import { authenticated, registeredDoctor } from '../support/expectations.ts';
import { graphqlApi, sendAsForm } from '../support/graphql-api.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { answerTo } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, builtIns, leavesNothing } from './support/harmless.ts';

const app = useTestApp();
const untouched = builtIns();

/** Nothing that all objects share has changed. */
afterEach(() => expect(builtIns()).toEqual(untouched));

/**
 * A multipart request of these texts and a file for each name.
 * @param map as JSON, or what becomes of it as JSON
 */
const upload = (operations: string, map: unknown, files = ['0']) => {
  const text = typeof map === 'string' ? map : JSON.stringify(map);
  return answered(() => sendAsForm(app.url, operations, text, files));
};

const OPERATION = JSON.stringify({
  query: '{ __typename }',
  variables: { a: null, list: [null], text: 'x', n: 1 },
});

describe('a map of files', () => {
  test.each([
    '__proto__',
    'variables.__proto__.x',
    'variables.list.__proto__.x',
    'variables.constructor',
    'variables.constructor.prototype.x',
    'variables.hasOwnProperty.call',
    'variables.list.push.apply',
    'variables.__defineGetter__.call',
    'query.replace.call',
    'variables.text.replace.x',
    'variables.list.length',
    'variables.text.0',
    'query.x',
    ...['variables', 'query', '', '.', '.variables', 'variables..x', 'variables.a.b', 'nothing.x', ' '],
  ])('the GraphQL API refuses a map with the path %j and changes nothing in the process', async (path) => {
    await leavesNothing(app, async () => {
      const { status, text } = await upload(OPERATION, { 0: [path] });
      expect(status).toBe(400);
      expect(text).not.toContain('hacker');
    });
  });

  test.each<[name: string, map: unknown, files: string[]]>([
    ['without a place for a file', { 0: [] }, ['0']],
    [
      'with thousands of places for a file',
      { 0: Array.from({ length: 5_000 }, (_, i) => `variables.a${i}`) },
      ['0'],
    ],
    ['with one place for two files', { 0: ['variables.a'], 1: ['variables.a'] }, ['0', '1']],
    ['with a place inside that of another file', { 0: ['variables.a'], 1: ['variables.a.b'] }, ['0', '1']],
    ['with a place inside all variables', { 0: ['variables'], 1: ['variables.a'] }, ['0', '1']],
    ['of numbers', { 0: [0] }, ['0']],
    ['of objects', { 0: [{ $gt: '' }] }, ['0']],
    ['of an object that no text can be made of', { 0: [{ toString: 1, valueOf: 1 }] }, ['0']],
    ['of one good place and one that is none', { 0: ['variables.a', { toString: 1 }] }, ['0']],
    ['of texts', { 0: 'variables.a' }, ['0']],
    ['of an array', [['variables.a']], ['0']],
    ['of a file that does not come', { 0: ['variables.a'] }, []],
    ['of another file', { 1: ['variables.a'] }, ['0']],
    [
      'of many files',
      Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [i, [`variables.a${i}`]])),
      ['0'],
    ],
  ])('%s is refused in time, and keeps nobody waiting', async (_name, map, files) => {
    await leavesNothing(app, async () =>
      expect([400, 413]).toContain((await upload(OPERATION, map, files)).status),
    );
  });
});

test('the GraphQL API refuses a map of nested lists of any depth', async () => {
  const map = `{"0":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`;
  await leavesNothing(app, async () => expect((await upload(OPERATION, map)).status).toBe(400));
});

test('the GraphQL API follows or refuses a path as deep as the operations with little work', async () => {
  const levels = 15_000;
  const operations = `{"query":"{__typename}","variables":${'{"a":'.repeat(levels)}null${'}'.repeat(levels)}}`;
  const map = { 0: [`variables${'.a'.repeat(levels)}`] };
  await leavesNothing(app, () => upload(operations, map));
});

describe('operations', () => {
  test.each<[name: string, operations: string]>([
    [
      'with a key of the prototype',
      '{"query":"{__typename}","__proto__":{"query":"{me{id}}"},"variables":{"a":null}}',
    ],
    ['50,000 levels deep', `{"variables":{"a":null,"b":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`],
    ['with lone surrogates', '{"query":"{\\ud800}","variables":{"a":null}}'],
  ])('operations %s do no harm', async (_name, operations) => {
    await leavesNothing(app, () => upload(operations, { 0: ['variables.a'] }));
  });
});

describe('files of an operation', () => {
  const registration = 'mutation ($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';

  /** Sends a number of files. The last one never ends. */
  async function sendUnending(operations: object, files: number, length?: number) {
    const variables = { input: null, a0: null, a1: null, a2: null, a3: null };
    const names = Array.from({ length: files }, (_, i) => `a${i}`);
    const map = Object.fromEntries(names.map((name) => [name, [`variables.${name}`]]));
    const body = encode([
      textPart('operations', JSON.stringify({ variables, ...operations })),
      textPart('map', JSON.stringify(map)),
      ...names.map((name) => filePart(name, 'filename="a.pdf"', Buffer.from('%PDF-1.7'))),
    ]);
    const req = openUpload(app.url, graphqlApi(app.url), length);
    req.write(body.subarray(0, files === 0 ? body.indexOf('name="map"') : body.lastIndexOf('%PDF') + 4));
    try {
      return await answered(() => answerTo(req));
    } finally {
      req.destroy();
    }
  }

  test.each<[name: string, operations: object]>([
    ['that has no places for files', { query: '{ __typename }' }],
    ['that logs in', { query: 'mutation { login(input: {email: "a", password: "b"}) { token } }' }],
    [
      'that has a variable for one and does not use it',
      { query: 'mutation ($a0: Upload!) { logout { message } }' },
    ],
    [
      'that uses one where none belongs',
      { query: 'mutation ($a0: Upload!) { logout(file: $a0) { message } }' },
    ],
    ['that is unknown', { query: 'mutation ($a0: Upload!) { upload(file: $a0) }' }],
    ['of a type that there is none of', { query: 'subscription { registerDoctor { token } }' }],
    [
      'that is not the one with places',
      { query: `query Q { __typename } ${registration.replace('(', 'R(')}`, operationName: 'Q' },
    ],
    ['whose alias alone has places', { query: '{ registerDoctor: __typename }' }],
  ])('%s are refused as soon as one begins', async (_name, operations) => {
    await leavesNothing(app, async () => {
      const { status, text } = await sendUnending(operations, 1);
      expect(status).toBe(400);
      expect(text).toContain('The operation takes no files.');
    });
  });

  test.each<[name: string, operations: object, code: string]>([
    ['that does not parse', { query: 'mutation {' }, 'GRAPHQL_PARSE_FAILED'],
    ['of too many tokens', { query: `{ ${'me '.repeat(2_000)} }` }, 'GRAPHQL_PARSE_FAILED'],
    ['that is missing', {}, 'BAD_REQUEST'],
    ['that is no text', { query: { toString: 1 } }, 'BAD_REQUEST'],
    [
      'without a name, among several',
      { query: 'query A { __typename } query B { __typename }' },
      'OPERATION_RESOLUTION_FAILURE',
    ],
  ])(
    'the GraphQL API does not receive files of an operation %s and says what is wrong',
    async (_name, operations, code) => {
      await leavesNothing(app, async () => {
        const { status, text } = await sendUnending(operations, 1);
        expect(status).toBeLessThan(500);
        expect(JSON.parse(text).errors[0].extensions.code).toBe(code);
      });
    },
  );

  test('the GraphQL API receives files for which the operation has places', async () => {
    await leavesNothing(app, async () => {
      expect((await sendUnending({ query: registration }, 4)).status).toBe(413);
    });
  });

  test('files may not make the body larger than the operation can use', async () => {
    await leavesNothing(app, async () => {
      expect((await sendUnending({ query: '{ __typename }' }, 0, 2 * 1024 * 1024)).status).toBe(413);
    });
  });

  test('files must not come before the operation', async () => {
    const parts = [
      filePart('a0', 'filename="a.pdf"', Buffer.from('%PDF-1.7')),
      textPart('operations', JSON.stringify({ query: registration, variables: { input: null } })),
      textPart('map', '{"a0":["variables.a0"]}'),
    ];
    await leavesNothing(app, async () => {
      const http = await answered(() => sendParts(app.url, graphqlApi(app.url), parts));
      expect(http.status).toBe(400);
    });
  });

  test('files come after one operation, not two', async () => {
    const [harmless, large] = ['{ __typename }', registration].map((query) =>
      textPart('operations', JSON.stringify({ query, variables: { a0: null } })),
    );
    const parts = [harmless, large, filePart('a0', 'filename="a.pdf"', Buffer.from('%PDF-1.7'))];
    await leavesNothing(app, async () => {
      const http = await answered(() => sendParts(app.url, graphqlApi(app.url), parts as never));
      expect(http.status).toBe(400);
    });
  });

  test('a multipart request without files runs', async () => {
    const parts = [textPart('operations', '{"query":"{ __typename }"}'), textPart('map', '{}')];
    const http = await answered(() => sendParts(app.url, graphqlApi(app.url), parts));
    expect(JSON.parse(http.text)).toEqual({ data: { __typename: 'Query' } });
  });
});

// The last test of the file: it runs after all hostile requests.
test('both doors still work after all hostile requests', async () => {
  authenticated(await restApi(app.url).registerPatient(aPatient()));
  registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
});
