import { readConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';

const SERVICES = ['records', 'billing'].map((id) => `${id}:${'ab'.repeat(32)}`).join(',');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test('a service may read the types that its entry says', () => {
  const { eventClients } = readConfig({
    INTROSPECTION_CLIENTS: SERVICES,
    EVENT_CLIENTS: ' records = doctor.* , account.erased ; billing=*; ',
  });
  expect(eventClients.get('records')).toEqual([
    'doctor.submitted',
    'doctor.verified',
    'doctor.rejected',
    'doctor.suspended',
    'doctor.expiring',
    'doctor.expired',
    'account.erased',
  ]);
  expect(eventClients.get('billing')?.length).toBeGreaterThan(10);
  expect(readConfig({}).eventClients.size).toBe(0);
});

test('every wrong entry of EVENT_CLIENTS is a problem', () => {
  const entries = ['records', 'records=', 'records=account', 'records=account.*=x', 'records=nobody.*', '=*'];
  const others = ['stranger=*', 'billing=*', 'billing=account.*', '__proto__=*', 'records=constructor'];
  const shape = 'must be <id>=<types>, such as records=account.*,doctor.*.';
  const unknown = 'has a service that INTROSPECTION_CLIENTS does not have.';
  expect(
    problemsOf({ INTROSPECTION_CLIENTS: SERVICES, EVENT_CLIENTS: [...entries, ...others].join(';') }),
  ).toEqual([
    ...[1, 2, 3, 4, 5].map((entry) => `EVENT_CLIENTS entry ${entry} ${shape}`),
    `EVENT_CLIENTS entry 6 ${unknown}`,
    `EVENT_CLIENTS entry 7 ${unknown}`,
    'EVENT_CLIENTS entry 9 has a service that another entry has.',
    `EVENT_CLIENTS entry 10 ${unknown}`,
    `EVENT_CLIENTS entry 11 ${shape}`,
  ]);
});

const endpoint = {
  name: 'records',
  url: 'https://records.example.org/hook',
  types: ['account.*'],
  secrets: [SECRET],
};

test('endpoints of webhooks have a name, an address, types, and one or two secrets', () => {
  const local = { name: 'local', url: 'http://[::1]:8080/', types: ['*'], secrets: [SECRET, SECRET] };
  const { webhooks } = readConfig({ WEBHOOKS: JSON.stringify([endpoint, local]) });
  expect(webhooks.map(({ name, keys }) => [name, keys.map(({ length }) => length)])).toEqual([
    ['records', [32]],
    ['local', [32, 32]],
  ]);
  expect(webhooks[0]?.types).toContain('account.erased');
  expect(readConfig({}).webhooks).toEqual([]);
});

const NO_NAME = 'must have a name of up to 64 letters, digits, ".", "_" and "-"';
const NO_URL = 'must have a url with https, or with http to this machine, and without user and fragment';
const NO_TYPES = 'must have types such as ["account.*", "doctor.verified"]';
const NO_SECRETS = 'must have one or two secrets, whsec_ and 24 to 64 bytes in Base64';
const LONG = `whsec_${Buffer.alloc(65).toString('base64')}`;

test.each<[problem: string, key: string, values: unknown[]]>([
  [NO_NAME, 'name', ['a b', undefined]],
  ['must have only name, url, types, secrets', 'secret', [SECRET]],
  [NO_URL, 'url', ['http://records.example.org/', 'ftp://records.example.org/', 'records.example.org', 7]],
  [NO_URL, 'url', ['https://user:password@records.example.org/', 'https://records.example.org/#x']],
  [NO_URL, 'url', ['http://localhost.example.org/', 'http://127.0.0.1.example.org/']],
  [NO_TYPES, 'types', [[], 'account.*', ['nothing'], [7], ['account.*', '']]],
  [
    NO_SECRETS,
    'secrets',
    [[], [SECRET, SECRET, SECRET], ['secret in clear'], ['whsec_c2hvcnQ='], [LONG], SECRET],
  ],
])('an endpoint %s', (problem, key, values) => {
  for (const value of values) {
    const problems = problemsOf({ WEBHOOKS: JSON.stringify([{ ...endpoint, [key]: value }]) });
    expect(problems).toEqual([`WEBHOOKS entry 1 ${problem}.`]);
  }
});

test('two endpoints do not have one name, and the whole is a list in JSON', () => {
  expect(problemsOf({ WEBHOOKS: JSON.stringify([endpoint, endpoint]) })).toEqual([
    'WEBHOOKS entry 2 has the name of another entry.',
  ]);
  for (const text of ['{}', 'no JSON', JSON.stringify(Array(51).fill(endpoint))]) {
    expect(problemsOf({ WEBHOOKS: text })).toEqual([
      'WEBHOOKS must be a JSON list of up to 50 objects with name, url, types and secrets.',
    ]);
  }
  expect(problemsOf({ WEBHOOKS: '[null, 7]' })).toHaveLength(2);
});
