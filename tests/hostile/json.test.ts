import { LoginDocument, RegisterPatientDocument } from '../../packages/client/src/generated/graphql.ts';
import { type Api, throughEachApi } from '../support/apis.ts';
import { authenticated, expectInvalid } from '../support/expectations.ts';
import { jsonOf, sendJson } from '../support/http.ts';
import { aPatient, type Fields } from '../support/people.ts';
import { rememberPassword } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, builtIns, leavesNothing } from './support/harmless.ts';

const app = useTestApp();
const untouched = builtIns();

afterEach(() => expect(builtIns()).toEqual(untouched));

/** Values of which MongoDB, BSON or a reader of objects would make something. */
const VALUES: [name: string, json: string][] = [
  ...[
    '{"$gt":""}',
    '{"$ne":null}',
    '{"$regex":".*"}',
    '{"$where":"sleep(9999)"}',
    '{"$in":["",null]}',
    ...['{"$function":{"body":"1"}}', '{"$set":{"role":"doctor"}}', '{"x":{"y":{"$gt":""}}}', '{"a.b":1}'],
    '{"$oid":"6b01922ec38c086ba185e538"}',
    '{"$numberLong":"1"}',
    '{"_bsontype":"ObjectId","id":"x"}',
    '{"buffer":{"type":"Buffer","data":[1]}}',
    '[{"$gt":""}]',
    '["a@example.org"]',
    '[]',
    '{}',
    '{"0":"a","length":1}',
    '[null]',
    '{"toString":"x"}',
    '{"toJSON":"x"}',
    '{"then":"x"}',
    '{"length":9}',
    '{"trim":"x"}',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    'true',
    'false',
    '0',
    '-0',
    '1e999',
    '9007199254740993',
    '0.1',
    '12345678',
  ].map((json): [string, string] => [json, json]),
  ['a number of 309 digits', '9'.repeat(309)],
  ['a number of 50,000 digits', '1'.repeat(50_000)],
  ['20,000 arrays in each other', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['10,000 objects in each other', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['an array of 30,000', `[${'0,'.repeat(30_000)}0]`],
];

/** Only the REST login takes a number: it compares its text. */
const isComparedAsText = (api: string, path: string, field: string, json: string): boolean =>
  api === 'REST' && path === 'login' && field === 'password' && /^-?\d/.test(json);

/** All fields at once, as the answer names each; but one by one if all would make the body too large. */
const groups = (fields: string[], json: string): string[][] =>
  json.length < 1000 ? [fields] : fields.map((field) => [field]);

/** A request whose field is spelled as JSON, which JavaScript's own writer would not write so. */
const RAW = '"raw-json-goes-here"';

interface JsonDoor {
  name: string;
  send: (
    operation: 'login' | 'register/patient',
    fields: Fields,
    json: string,
  ) => ReturnType<typeof sendJson>;
}
const DOCUMENTS = { login: LoginDocument, 'register/patient': RegisterPatientDocument };
const JSON_DOORS: JsonDoor[] = [
  {
    name: 'REST',
    send: (path, fields, json) =>
      sendJson(
        `${app.url}/api/v1/auth/${path}`,
        JSON.stringify(fields).replaceAll(RAW, () => json),
      ),
  },
  {
    name: 'GraphQL',
    send(path, input, json) {
      const body = { query: String(DOCUMENTS[path]), variables: { input } };
      return sendJson(
        `${app.url}/graphql`,
        JSON.stringify(body).replaceAll(RAW, () => json),
      );
    },
  },
];

describe.each(JSON_DOORS)('through the $name door', ({ name: api, send: sendTo }) => {
  const { email, password } = aPatient();
  const somebody = { email, password };
  beforeAll(async () => {
    authenticated(await restApi(app.url).registerPatient(aPatient(somebody)));
  });

  test.each(VALUES)('the gateway refuses %s in place of any text', async (_name, json) => {
    await leavesNothing(app, async () => {
      const attack = async (path: 'login' | 'register/patient', fields: Fields, attacked: string[]) => {
        const values = Object.fromEntries(attacked.map((field) => [field, JSON.parse(RAW)]));
        const response = await answered(() => sendTo(path, { ...fields, ...values }, json));
        const body = jsonOf<{ errors: unknown; data?: unknown }>(response);
        expect(body.data ?? null).toBeNull();
        const refused = attacked.filter((field) => !isComparedAsText(api, path, field, json));
        expect(response.status === 401).toBe(refused.length === 0);
        for (const field of refused) {
          expect(JSON.stringify(body.errors)).toMatch(
            new RegExp(
              `The ${field} field must be a string\\.|The variables must not have more than 50 keys`,
            ),
          );
        }
      };
      for (const attacked of groups(['email', 'password'], json)) {
        await attack('login', somebody, attacked);
      }
      for (const attacked of groups(['name', 'email', 'password', 'phone'], json)) {
        await attack('register/patient', aPatient(), attacked);
      }
    });
  });

  test.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', '$where', 'email.$gt'])(
    'a key %s beside the fields gives nobody more rights',
    async (key) => {
      const { name, ...patient } = aPatient();
      rememberPassword(patient.password);
      const inherited = JSON.stringify({ name, role: 'doctor', isAdmin: true, prototype: { name } });
      const json = `"","${key}":${inherited}`;
      const response = await answered(() =>
        sendTo('register/patient', { ...patient, phone: JSON.parse(RAW) }, json),
      );
      const body = jsonOf<{ errors: unknown; data?: unknown }>(response);
      // REST misses the name; GraphQL knows no such field.
      expect(body.data ?? null).toBeNull();
      expect(await app.database.accounts.countDocuments({ email: patient.email })).toBe(0);
    },
  );
});

throughEachApi((apiOf) => {
  const api = (): Api => apiOf(app.url);

  test.each(['{"$gt":""}', '$where', '[object Object]', 'null', 'true'])(
    'the text %s is a wrong password and no e-mail',
    async (text) => {
      const { email, ...patient } = aPatient();
      authenticated(await api().registerPatient({ ...patient, email }));
      await leavesNothing(app, async () => {
        expect(await api().login({ email, password: text })).toMatchObject({ kind: 'credentials' });
        expectInvalid(await api().login({ email: text, password: patient.password }), {
          email: ['The email field must be a valid email address.'],
        });
      });
    },
  );
});

// The last test of the file: it runs after all hostile requests.
test('both doors still work after all hostile requests', async () => {
  const patient = aPatient();
  authenticated(await restApi(app.url).registerPatient(patient));
  authenticated(await restApi(app.url).login(patient));
});
