import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { legacyListener } from '../../support/fake-legacy.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { useTestApp } from '../../support/test-app.ts';

// `npm run contract` as an operator runs it: the transcripts of tests/contract/legacy against a service.
// The transcripts register more often in a minute than the limit allows.
const LIMITS = { RATE_LIMIT: 'on', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000' };
const app = useTestApp(LIMITS);
const numbered = useTestApp({ ...LIMITS, ID_FORMAT: 'integer' });

/** A process may take long to start, and some tests start several. */
jest.setTimeout(90_000);

const RUNNER = path.resolve('tests/contract/legacy/run.js');

interface Result {
  name: string;
  verdict: string;
  expected?: string;
  actual?: string;
}

interface Report {
  results: Result[];
  endpoints: { endpoint: string; exchanges: number; same: number; different: number }[];
}

const contract = (...args: string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [RUNNER, ...args], (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });

const servers: Server[] = [];
const folders: string[] = [];
afterAll(async () => {
  for (const server of servers) {
    server.close().closeAllConnections();
  }
  for (const folder of folders) {
    await rm(folder, { recursive: true });
  }
});

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-contract-'));
  folders.push(folder);
  return folder;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  return `http://127.0.0.1:${await listenOnFreePort(server)}`;
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** A service that passes everything on to the app, and alters its answers. */
const serveAltered = (alter: (route: string, answer: Answer) => Partial<Answer>) =>
  serve(async (req, res) => {
    const { method = '', url = '', headers } = req;
    // The app may hang up on a body that is too large; its answer is what counts.
    const answer = await sendRaw(app.url, { method, path: url, headers }, await buffer(req));
    const altered = { ...answer, ...alter(`${method} ${url.replace('/api/v1/auth/', '')}`, answer) };
    altered.headers.delete('content-length');
    res.writeHead(altered.status, Object.fromEntries(altered.headers)).end(altered.text);
  });

test('the gateway answers all transcripts to the byte, twice, and two recordings are the same', async () => {
  const folder = await aFolder();
  const recordings = [path.join(folder, 'one'), path.join(folder, 'two')] as const;
  for (const recording of recordings) {
    const { code, stdout, stderr } = await contract(app.url, '--json', '--record', recording);
    const { results, endpoints } = JSON.parse(stdout) as Report;
    expect(results.filter(({ verdict }) => verdict !== 'same')).toEqual([]);
    expect(results.length).toBeGreaterThan(50);
    expect(endpoints.at(-1)).toMatchObject({ endpoint: 'all', same: results.length, different: 0 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
  const [one, two] = [await readFile(recordings[0], 'utf8'), await readFile(recordings[1], 'utf8')];
  expect(one).toBe(two);
  expect(one).toContain('"token":"{{token:pat}}"');
  expect(one).not.toMatch(/[\w-]+\|[\w-]{48}|Pw-|@(?!example)[\w-]+\.org|\/storage\//);
});

test('the tool reports each exchange in which a service differs in substance', async () => {
  const alterations: Record<string, (answer: Answer) => unknown> = {
    'GET nothing 404': () => ({ status: 410 }),
    'POST logout 401': ({ headers }) => headers.delete('www-authenticate'),
    'POST register/admin 404': ({ headers }) => headers.set('x-ratelimit-limit', '60'),
    'POST login 200': ({ text }) => ({
      text: text.replace(/.(?="}$)/, (digit) => (digit === '0' ? '1' : '0')),
    }),
    'POST login 401': ({ text }) => ({ text: text.replace('credentials', 'credential5') }),
    'POST register/patient 201': ({ text }) => ({ text: text.replace(/"id":"(\w+)"/, '"id":4711') }),
    'POST register/doctor 201': ({ text }) => ({
      text: text.replace('"account":{', '"account":{"password":"$2y$12$abcdefghijklmnopqrstuv",'),
    }),
  };
  const url = await serveAltered((route, answer) => ({
    ...(alterations[`${route} ${answer.status}`]?.(answer) as Partial<Answer>),
  }));
  const { code, stdout, stderr } = await contract(url);
  const AS_SENT = 'as the mobile client sends it, without Accept';
  for (const [name, expected, answered] of [
    ['a path that there is not', 'HTTP 404', 'HTTP 410'],
    ['logout: without a token', 'WWW-Authenticate: Bearer', '(nothing)'],
    ['a path that there is not, by POST', '(nothing)', 'X-RateLimit-Limit: 60'],
    [
      'login: a wrong password, without Accept',
      '"message": "Invalid credentials"',
      '"message": "Invalid credential5"',
    ],
    [`register/patient: ${AS_SENT}`, '"id": "{{id:pat}}",', '"id": (a number) {{id:pat}},'],
    [`register/doctor: ${AS_SENT}`, '"phone": "{{phone:ada}}"', '"password": "{{hash of a password}}",'],
    ['login: a doctor', '"token": "{{token:doctor}}"', '"token": "{{token:doctor, without a valid CRC-32}}"'],
  ]) {
    expect(stdout).toContain(`DIFFERENT   ${name}\n    expected: ${expected}\n    answered: ${answered}\n`);
  }
  expect(stdout).toContain('ok          register/doctor: a taken e-mail\n');
  expect(stdout).toMatch(/^endpoint +exchanges +same +other bytes +different$/m);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
});

describe('a service that is like the legacy service', () => {
  test('all answers are the same but for the spelling, with ids as numbers', async () => {
    const url = await serve(legacyListener(app.url));
    const { code, stdout, stderr } = await contract(url, '--ids', 'number');
    expect(stdout).not.toContain('DIFFERENT');
    expect(stdout).toContain('other bytes login: a wrong password, without Accept\n');
    expect(stdout).toMatch(/^\/api\/v1\/auth\/logout +(\d+) +0 +\1 +0$/m);
    expect(stdout).toMatch(/^all +(\d+) +0 +\1 +0$/m);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('a gateway with ID_FORMAT=integer answers all transcripts to the byte', async () => {
    const { code, stdout } = await contract(numbered.url, '--ids', 'number');
    expect(stdout).toMatch(/^all +(\d+) +\1 +0 +0$/m);
    expect(code).toBe(0);
  });

  test('with the option, an id that is a text is a difference', async () => {
    const { code, stdout } = await contract(app.url, '--ids', 'number');
    expect(stdout).toContain('    answered: "id": (a text) "{{id:ada}}",\n');
    expect(code).toBe(1);
  });
});

test('a recording contains no secret that a service repeats', async () => {
  const answer = (sent: string) => ({
    sent,
    token: 'no-token-of-any-shape',
    url: 'http://a/storage/licenses/x.pdf?key',
  });
  const url = await serve(async (req, res) => {
    res.end(JSON.stringify(answer(`${req.headers.authorization} ${await buffer(req)}`)));
  });
  const recording = path.join(await aFolder(), 'recording');
  const { code, stdout } = await contract(url, '--record', recording);
  const recorded = await readFile(recording, 'utf8');
  for (const written of [recorded, stdout]) {
    expect(written).not.toMatch(/Pw-\w|no-token|x\.pdf/);
  }
  expect(recorded).toContain('"token":"{{malformed token}}","url":"{{another url licenses}}"');
  expect(recorded).toContain('\\"password\\":\\"{{password:pat}}\\"');
  expect(code).toBe(1);
});

describe('a mistake in the use of the tool', () => {
  const refused = async (message: RegExp, ...args: string[]) => {
    const { code, stdout, stderr } = await contract(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  };

  test('the tool prints one line about a missing, second or invalid address', async () => {
    await refused(/^contract: one address is needed\nusage: /);
    await refused(/^contract: one address is needed\nusage: /, app.url, app.url);
    await refused(/^contract: "localhost:4000" is not the address of a service/, 'localhost:4000');
    await refused(/^contract: .*--nonsense/, app.url, '--nonsense');
    await refused(/^contract: --timeout must be a whole number/, app.url, '--timeout', '0');
    await refused(/^contract: --ids must be text or number/, app.url, '--ids', 'numbers');
  });

  test('the tool prints one line about a recording that cannot be written', () =>
    refused(/^contract: \/nowhere\/x cannot be written: ENOENT/, app.url, '--record', '/nowhere/x'));

  test('the tool prints one line about a service that does not exist', async () => {
    // Nobody listens there without special permission: a free port may be taken meanwhile.
    await refused(/^contract: http:\S+ \(no answer: connect ECONNREFUSED/, 'http://127.0.0.1:1');
  });

  test('the tool prints one line about a service that never answers, or never to the end', async () => {
    const [silent, stuck] = [await serve(() => {}), await serve((_req, res) => void res.write('{"data"'))];
    const message = /^contract: http:\S+ \(no answer within 1 seconds\)\n$/;
    const timeout = ['--timeout', '1'];
    await Promise.all([refused(message, silent, ...timeout), refused(message, stuck, ...timeout)]);
  });
});

test('the error page of a proxy is a difference like any other and cannot move the cursor', async () => {
  const url = await serve((req, res) => {
    // Some proxies say that their page is what the service would have answered.
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    res.writeHead(req.method === 'GET' ? 404 : 502, headers).end('<h1>\x1b[2JBad Gateway</h1>');
  });
  const { code, stdout, stderr } = await contract(url);
  expect(stdout).toContain('    expected: HTTP 201\n    answered: HTTP 502\n');
  expect(stdout).toContain('(not asked: no earlier answer has brought {{token:first}})');
  expect(stdout).toContain('    expected: {\n    answered: <h1>\\x1b[2JBad Gateway</h1>\n');
  expect(stdout).toMatch(/^all +(\d+) +0 +0 +\1$/m);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
});
