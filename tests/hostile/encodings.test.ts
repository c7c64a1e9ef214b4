import { deflateSync, gzipSync } from 'node:zlib';
import { authenticated } from '../support/expectations.ts';
import { jsonOf, send, sendJson } from '../support/http.ts';
import { aPatient, freshEmail } from '../support/people.ts';
import { rememberPassword } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, leavesNothing } from './support/harmless.ts';

const app = useTestApp();
const REGISTER = '/api/v1/auth/register/patient';
const query =
  'mutation($input: RegisterPatientInput!) { registerPatient(input: $input) { account { name email } token } }';

/** A patient's registration as either API takes it. */
const APIS = [
  { api: 'REST', path: REGISTER, bodyOf: (patient: object) => JSON.stringify(patient) },
  {
    api: 'GraphQL',
    path: '/graphql',
    bodyOf: (input: object) => JSON.stringify({ query, variables: { input } }),
  },
];

/** A request with these bytes in its name. */
const withBytes = (text: string, hex: string): Buffer =>
  Buffer.from(text.replace('Pat Ient', Buffer.from(hex, 'hex').toString('latin1')), 'latin1');

const newPatient = (fields: { name?: string } = {}) => {
  const { name, email, password } = aPatient(fields);
  rememberPassword(password);
  return { name, email, password };
};

const asUtf8 = (text: string): Buffer => Buffer.from(text);

describe.each(APIS)('at the $api door', ({ path, bodyOf }) => {
  const post = (body: Buffer | string, type = 'application/json', headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': type, ...headers },
      body: new Uint8Array(Buffer.from(body)),
    };
    return answered(() => send(`${app.url}${path}`, init));
  };

  test.each<[name: string, type: string, encode: (text: string) => Buffer]>([
    ['UTF-8 with a byte order mark', 'application/json', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-8, named in quotes', 'application/json; charset="UTF-8"', asUtf8],
    ['UTF-8 by its alias', 'application/json; charset=utf8', asUtf8],
    ['UTF-8 by its alias, in quotes and capitals', 'application/json;CHARSET = "UTF8"', asUtf8],
  ])('the gateway reads a body in %s', async (_name, type, encode) => {
    const patient = newPatient({ name: 'Zoë 𠮷野 محمد' });
    const { status, text } = await post(encode(bodyOf(patient)), type);
    expect([200, 201]).toContain(status);
    expect(text).toContain('Zoë 𠮷野 محمد');
    authenticated(await restApi(app.url).login(patient));
  });

  test.each<[name: string, type: string, encode: (text: string) => Buffer]>([
    ['UTF-16 that claims to be UTF-8', 'application/json', (text) => Buffer.from(text, 'utf16le')],
    ['UTF-7', 'application/json; charset=utf-7', asUtf8],
    ['UTF-16', 'application/json; charset=utf-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16LE', 'application/json; charset=utf-16le', (text) => Buffer.from(text, 'utf16le')],
    ['two charsets at once', 'application/json; charset=utf-8; charset=utf-16', asUtf8],
    ['a charset in the notation of RFC 2231', "application/json; charset*=us-ascii''utf-7", asUtf8],
    ['UTF-8 with an escape in its name', 'application/json; charset="utf\\-8"', asUtf8],
    ['a charset without a name', 'application/json; charset=', asUtf8],
    [
      'Latin-1',
      'application/json; charset=iso-8859-1',
      (text) => Buffer.from(text.replace('Pat', 'P\u00e4t'), 'latin1'),
    ],
    ['an unknown charset', 'application/json; charset=utf-999', asUtf8],
    ['a charset of the prototype', 'application/json; charset=__proto__', asUtf8],
    ['JSON behind a NUL', 'application/json', (text) => Buffer.from(`\0${text}`)],
    ['JSON before a NUL', 'application/json', (text) => Buffer.from(`${text}\0`)],
    ['JSON twice', 'application/json', (text) => Buffer.from(text + text)],
    [
      'JSON with a raw control character in a text',
      'application/json',
      (text) => Buffer.from(text.replace('Pat Ient', 'P\u0001t')),
    ],
    ['JSON with a comment', 'application/json', (text) => Buffer.from(`/**/${text}`)],
    ['overlong braces', 'application/json', (text) => Buffer.from(text.replace('{', '\xc1\xbb'), 'latin1')],
    ['a byte that is no UTF-8', 'application/json', (text) => withBytes(text, 'ff')],
    ['an overlong NUL', 'application/json', (text) => withBytes(text, 'c080')],
    ['an overlong slash', 'application/json', (text) => withBytes(text, 'c0af')],
    ['a surrogate pair as CESU-8', 'application/json', (text) => withBytes(text, 'eda0bdedb880')],
    ['a letter cut short', 'application/json', (text) => withBytes(text, 'e282')],
    ['a letter beyond Unicode', 'application/json', (text) => withBytes(text, 'f4908080')],
    [
      'random bytes',
      'application/json',
      () => Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 151) % 256)),
    ],
  ])('the gateway refuses %s', async (_name, type, encode) => {
    await leavesNothing(app, async () => {
      const { status, text } = await post(encode(bodyOf(newPatient())), type);
      const isUnknown = type.includes('charset');
      expect([status, text.includes('"Unsupported Media Type"')]).toEqual([isUnknown ? 415 : 400, isUnknown]);
    });
  });

  test.each<[name: string, encoding: string, compress: (text: string) => Buffer]>([
    ['gzip that is none', 'gzip', asUtf8],
    ['gzip cut short', 'gzip', (text) => gzipSync(text).subarray(0, -20)],
    ['deflate named gzip', 'gzip', (text) => deflateSync(text)],
    ['gzip in gzip', 'gzip, gzip', (text) => gzipSync(gzipSync(text))],
    ['1,000 times its size', 'gzip', (text) => gzipSync(text + ' '.repeat(100_000_000))],
  ])('the gateway refuses a compressed body of %s with little work', async (_name, encoding, compress) => {
    await leavesNothing(app, async () => {
      const headers = { 'Content-Encoding': encoding };
      const response = await post(compress(bodyOf(newPatient())), 'application/json', headers);
      expect([400, 413, 415]).toContain(response.status);
    });
  });

  test.each<[name: string, body: string]>([
    ['100 levels deep', `${'['.repeat(100)}${']'.repeat(100)}`],
    ['50,000 levels deep', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['50,000 levels deep, and never closed', '['.repeat(50_000)],
    ['17,000 objects deep', `${'{"a":'.repeat(17_000)}1${'}'.repeat(17_000)}`],
    ['100,000 levels deep, beyond the limit', '['.repeat(110_000)],
    ['of 7,000 keys', `{${Array.from({ length: 7_000 }, (_, i) => `"key${i}":1`).join()}}`],
    [
      'of 100,000 keys, beyond the limit',
      `{${Array.from({ length: 100_000 }, (_, i) => `"${i}":1`).join()}}`,
    ],
    ['of the same key 10,000 times', `{${'"email":1,'.repeat(9_000)}"email":{}}`],
    ['of an array index as a key', '{"4294967295":1,"-1":2,"1e5":3}'],
    ['a number of 100,000 digits', '9'.repeat(100_000)],
    ['minus zero', '-0'],
    ['an infinite number', '1e999'],
  ])('the gateway refuses JSON %s with little work', async (_name, body) => {
    await leavesNothing(app, async () => {
      expect([400, 413, 422]).toContain((await post(body)).status);
    });
  });
});

test('the gateway accepts an escaped surrogate pair and refuses half of one', async () => {
  const body = (name: string) =>
    `{"name":"${name}","email":"${freshEmail()}","password":"${newPatient().password}"}`;
  await leavesNothing(app, async () => {
    for (const name of ['\\ud800', '\\udc00', 'a\\udfffb', '\\udc00\\ud800']) {
      const response = await answered(() => sendJson(`${app.url}${REGISTER}`, body(name)));
      expect(jsonOf(response)).toMatchObject({ errors: { name: ['The name field format is invalid.'] } });
    }
  });
  const response = await sendJson(`${app.url}${REGISTER}`, body('\\ud842\\udfb7'));
  expect(jsonOf(response)).toMatchObject({ data: { name: '𠮷' } });
});
