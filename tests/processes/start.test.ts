import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { failedStart } from '../support/failed-start.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { freePort, listenOnFreePort } from '../support/listen.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { writeTerminalProgram } from '../support/terminal-program.ts';

const workshop = useWorkshop();

/** Begins first: it waits for its database for seconds, in which the other tests run. Nobody listens at port 9. */
let givingUp: GatewayProcess;
const NO_DATABASE = '127.0.0.1:9';
beforeAll(() => {
  // Long enough that a first attempt on a stalling machine is not the last.
  const settings = { MONGODB_URI: `mongodb://${NO_DATABASE}/test`, START_WAIT_SECONDS: '7' };
  givingUp = workshop.start(settings);
});

describe('a start', () => {
  test('a start takes the port of PORT, and prints one line with both APIs, the pages, the data and the documents', async () => {
    const port = await freePort();
    const gateway = workshop.start({ PORT: String(port) });
    const url = await gateway.url();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    // Beside the log, which may have something to tell of a machine that stalls.
    const lines = gateway.stdout.split('\n').filter((line) => !line.startsWith('{'));
    expect(lines).toEqual([
      `auth-gateway is ready: GraphQL ${url}/graphql, REST ${url}/api/v1/auth, start page ${url}/, documentation ${url}/docs, pages for people http://localhost:${port}/people, data MongoDB (MONGODB_URI), documents ${workshop.folder}/storage`,
      '',
    ]);
    authenticated(await graphqlApi(url).registerPatient(aPatient()));
    authenticated(await restApi(url).registerPatient(aPatient()));
    expect(await gateway.stop()).toBe(0);
    expect(gateway.stderr).toBe('');
  });

  test('a start without MONGODB_URI uses the embedded database and prints its folder', async () => {
    const settings = { RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: '1', PAGES: 'off' };
    const gateway = workshop.start({ MONGODB_URI: undefined, ...settings });
    const url = await gateway.url();
    expect(gateway.stdout).toContain(`data ${workshop.folder}/data`);
    expect(gateway.stdout).not.toContain('documentation');
    const patient = aPatient();
    authenticated(await restApi(url).registerPatient(patient));
    authenticated(await graphqlApi(url).login(patient));
    const stranger = aPatient();
    refused(await graphqlApi(url).login(stranger), 'credentials');
    refused(await restApi(url).login(stranger), 'too many attempts');
    expect(await gateway.stop()).toBe(0);
  });

  test('gateways in memory say so, are separate, and leave nothing on the disk', async () => {
    const TMPDIR = path.join(workshop.folder, 'temporary');
    await mkdir(TMPDIR);
    const inMemory = { MONGODB_URI: undefined, STORAGE_DIR: undefined, DATA_DIR: ':memory:', TMPDIR };
    const [gateway, other] = [workshop.start(inMemory), workshop.start(inMemory)];
    const patient = aPatient();
    const api = restApi(await gateway.url());
    authenticated(await api.registerPatient(patient));
    authenticated(await api.registerDoctor(aDoctor()));
    refused(await restApi(await other.url()).login(patient), 'credentials');
    expect(gateway.stdout).toContain('data in memory (gone when the gateway ends)');
    const [, documents = ''] = /documents (\S+)\n/.exec(gateway.stdout) ?? [];
    expect(await readdir(path.join(documents, 'licenses'))).toHaveLength(1);
    expect(await gateway.stop()).toBe(0);
    await other.kill();
    // The database of the other one went with it; nobody could remove its documents.
    expect(await readdir(TMPDIR)).toEqual([expect.stringMatching(/^auth-gateway-/)]);
    expect(await readdir(TMPDIR)).not.toContain(path.basename(documents));
  });

  test('in production the start line is JSON, too', async () => {
    const baseUrl = 'https://gateway.example';
    const gateway = workshop.start({ NODE_ENV: 'production', BASE_URL: baseUrl, LOG_LEVEL: 'silent' });
    const address = await gateway.address();
    expect(address).toMatch(/^http:\/\/0\.0\.0\.0:\d+$|^http:\/\/127\.0\.0\.1:\d+$/);
    expect(gateway.stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(gateway.stdout)).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      msg: 'auth-gateway is ready',
      graphql: `${baseUrl}/graphql`,
      rest: `${baseUrl}/api/v1/auth`,
      address,
      database: 'mongodb',
      documents: path.join(workshop.folder, 'storage'),
    });
    expect(await gateway.stop()).toBe(0);
  });

  test('a person at a terminal gets the addresses on lines of their own, and a log in words', async () => {
    const program = await writeTerminalProgram(workshop.folder, 'SIGTERM');
    const gateway = workshop.start({ NODE_ENV: undefined, NO_COLOR: '1' }, program);
    await gateway.printed('Documents');
    const url = /GraphQL +(http\S+)\/graphql/.exec(gateway.stdout)?.[1] ?? '';
    expect(gateway.stdout).toMatch(new RegExp(`^  Start page +${url}/\r$`, 'm'));
    expect(gateway.stdout).toMatch(new RegExp(`^  Documentation +${url}/docs\r$`, 'm'));
    await fetch(`${url}/nowhere`);
    await gateway.printed('/nowhere');
    expect(gateway.stdout).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: GET \/nowhere 404 [\d.]+ ms\r$/m);
    await gateway.stop();
  });

  test('a start reads .env in development but not in production, and prints the port beside a BASE_URL', async () => {
    const file = path.join(workshop.folder, '.env');
    await writeFile(file, 'BASE_URL=https://from-dot-env.example.org\nLOG_LEVEL=loud\n');
    try {
      const development = workshop.start({ NODE_ENV: undefined });
      expect(await development.url()).toBe('https://from-dot-env.example.org');
      expect(development.stdout).toMatch(/listening on http:\/\/127\.0\.0\.1:[1-9]\d*$/m);
      const production = workshop.start({ NODE_ENV: 'production', BASE_URL: 'http://gateway.example' });
      expect(await production.url()).toBe('http://gateway.example');
      for (const gateway of [development, production]) {
        expect(await gateway.stop()).toBe(0);
      }
    } finally {
      await rm(file);
    }
  });
});

describe('a start that cannot be', () => {
  /** Starts, waits for the end, and says what was complained of. */
  async function complaintOf(settings: Record<string, string | undefined>): Promise<string> {
    // A busy machine may have to wait for the database, which the log tells.
    const gateway = workshop.start({ LOG_LEVEL: 'silent', ...settings });
    expect(await gateway.exitCode()).toBe(1);
    expect(gateway.stdout).toBe('');
    // A complaint is for people, not a stack of calls.
    expect(gateway.stderr).not.toMatch(/\n\s+at /);
    return gateway.stderr;
  }

  /** Returns the text of the error without the start of a process. */
  const reasonOf = (settings: Record<string, string | undefined>) =>
    failedStart(workshop.environment(settings));

  test('a start names all wrong settings by key and misspelt ones by their right name, and none by value', async () => {
    const complaint = await complaintOf({
      NODE_ENV: 'production',
      ...{ PORT: 'hunter2', BCRYPT_COST: 'hunter2', LOG_LEVEL: 'hunter2' },
      ...{ MONGDB_URI: 'hunter2', BASE_URLL: 'hunter2' },
    });
    for (const key of ['PORT', 'BCRYPT_COST', 'LOG_LEVEL']) {
      expect(complaint).toContain(key);
    }
    expect(complaint).toContain('MONGDB_URI is no setting. Do you mean MONGODB_URI?');
    expect(complaint).toContain('BASE_URLL is no setting. Do you mean BASE_URL?');
    expect(complaint).not.toContain('hunter2');
  });

  test('a start reports a taken port', async () => {
    const other = createServer();
    const port = String(await listenOnFreePort(other));
    try {
      const complaint = await complaintOf({ PORT: port });
      expect(complaint).toContain(`http://127.0.0.1:${port}`);
      expect(complaint).toContain('taken');
    } finally {
      other.close();
    }
  });

  test('a start that cannot load the GraphQL API says why and does not listen', async () => {
    // As when too many files are open at that moment, which cannot be timed. Node 26 deprecates `register`; Node 20 has nothing else.
    const hooks = `export async function load(url, context, next) {
      if (url.endsWith('/graphql-api.js')) throw new Error('EMFILE: too many open files');
      return next(url, context);
    }`;
    const dataUrl = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
    const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;
    const complaint = await complaintOf({ NODE_OPTIONS: `--no-deprecation --import=${dataUrl(register)}` });
    expect(complaint).toBe('auth-gateway: The APIs cannot be loaded: EMFILE: too many open files\n');
  });

  test('a start names a damaged file of the embedded database, and what to do', async () => {
    const dataDir = path.join(workshop.folder, 'damaged');
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'data.mdb'), 'This is no database.\n');
    const complaint = await complaintOf({ MONGODB_URI: undefined, DATA_DIR: dataDir });
    expect(complaint).toContain(`${dataDir}/data.mdb is damaged`);
    expect(complaint).toContain('Restore a backup.');
  });

  const ofUser = (uri: string) => uri.replace('mongodb://', 'mongodb://user:hunter2@');

  test.each<[what: string, settings: () => Record<string, string | undefined>, texts: string[]]>([
    [
      'a missing MONGODB_URI in production',
      () => ({ NODE_ENV: 'production', MONGODB_URI: undefined }),
      ['MONGODB_URI', 'EMBEDDED_DATABASE'],
    ],
    [
      'an unreachable MongoDB',
      () => ({ MONGODB_URI: ofUser(`mongodb://${NO_DATABASE}/test`), START_WAIT_SECONDS: '0' }),
      [NO_DATABASE],
    ],
    [
      'a wrong password of MongoDB',
      () => ({ MONGODB_URI: ofUser(workshop.database.uri) }),
      ['The database cannot be used'],
    ],
  ])('a start reports %s, and no password', async (_, settings, texts) => {
    const complaint = await reasonOf(settings());
    expect(texts.filter((text) => !complaint.includes(text))).toEqual([]);
    expect(complaint).not.toContain('hunter2');
  });

  test('a start on the data folder of a running gateway names the folder and the process', async () => {
    const running = workshop.start({ MONGODB_URI: undefined });
    await running.url();
    const complaint = await reasonOf({ MONGODB_URI: undefined });
    expect(complaint).toContain(path.join(workshop.folder, 'data'));
    expect(complaint).toContain(`process ${running.pid}; stop it first, or use another folder (DATA_DIR).`);
    expect(await running.stop()).toBe(0);
  });

  // Root may write everywhere but where nobody can.
  test.each([
    ['DATA_DIR', 'a-file', 'cannot be used'],
    ['DATA_DIR', '/proc/data', 'cannot be used'],
    ['STORAGE_DIR', 'a-file', 'cannot be written to'],
    ['STORAGE_DIR', 'a-file/storage', 'cannot be written to'],
    ['STORAGE_DIR', '/sys/storage', 'cannot be written to'],
    ['STORAGE_DIR', '/proc/storage', 'cannot be written to'],
  ])('a start reports the %s %s', async (setting, name, problem) => {
    await writeFile(path.join(workshop.folder, 'a-file'), '');
    const folder = path.resolve(workshop.folder, name);
    const database = setting === 'DATA_DIR' ? { MONGODB_URI: undefined } : {};
    expect(await reasonOf({ ...database, [setting]: folder })).toContain(`${folder} ${problem} (${setting})`);
  });
});

describe('a start before its MongoDB', () => {
  let proxy: DatabaseProxy;
  let uri: string;
  beforeAll(async () => {
    proxy = await startDatabaseProxy();
    uri = proxy.through(workshop.database.uri);
    await proxy.cut();
  });
  afterAll(() => proxy.stop());

  test('a start that waits for its database stops at once on SIGTERM', async () => {
    const gateway = workshop.start({ MONGODB_URI: uri });
    await gateway.printed('waiting for the database');
    expect(await gateway.stop()).toBe(0);
    expect(gateway.stderr).toBe('');
  });

  test('a start uses its database as soon as it is there, and reads its secrets again after a SIGHUP', async () => {
    const gateway = workshop.start({ MONGODB_URI: uri });
    await gateway.printed('waiting for the database');
    gateway.signal('SIGHUP');
    await proxy.restore();
    authenticated(await restApi(await gateway.url()).registerPatient(aPatient()));
    await gateway.printed('the files of the secrets were read again');
    expect(await gateway.stop()).toBe(0);
  });
});

test('a start names the database that it waits for, and gives up in time', async () => {
  expect(await givingUp.exitCode()).toBe(1);
  const lines = givingUp.stdout.split('\n').filter(Boolean);
  // At once, and every three seconds.
  expect([1, 2, 3]).toContain(lines.length);
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({
      level: 40,
      msg: 'waiting for the database',
      hosts: [NO_DATABASE],
      secondsLeft: expect.any(Number),
    });
  }
  expect(givingUp.stderr).toMatch(/^auth-gateway: The database at .* does not answer within 7 s .*\n$/);
  expect(givingUp.stderr).toContain(NO_DATABASE);
});
