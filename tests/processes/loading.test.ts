import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { useWorkshop } from '../support/gateway-process.ts';

const workshop = useWorkshop();

/** Makes Node.js run a program before the gateway. */
const before = (program: string) => ({
  NODE_OPTIONS: `--no-deprecation --import=data:text/javascript,${encodeURIComponent(program)}`,
});

/** Packages that a first answer does not need: each belongs to a setting, to one kind of request, or to another process. */
const LATER = [
  '@node-rs/argon2',
  '@zxcvbn-ts/language-common',
  'aws4fetch',
  'file-type',
  'libphonenumber-js',
  'lmdb',
  'msgpackr',
  'mysql2',
  'nodemailer',
  'pino-pretty',
  'prom-client',
  're2js',
];

/** At the end of the process, names what its main thread has loaded: packages, and parts of Node.js. */
const LIST_LOADED = `
  import { Session } from 'node:inspector';
  import { isMainThread } from 'node:worker_threads';
  const urls = [];
  const session = new Session();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url));
  session.post('Debugger.enable');
  process.on('exit', () => {
    if (!isMainThread) return;
    const names = urls.map((url) => /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? url);
    process.stderr.write(JSON.stringify([...new Set(names)]));
  });
`;

test.each([
  ['dist/auth-gateway.js', 'auth-gateway: '],
  ['dist/main.js', 'auth-gateway: '],
  ['scripts/run.js', ''],
])('on an older Node.js, %s says which version it needs before it loads a package', async (program, name) => {
  const older = `Object.defineProperty(process.versions, 'node', { value: '20.18.3' });`;
  const env = { PATH: process.env.PATH, ...before(LIST_LOADED + older) };
  const run = promisify(execFile)(process.execPath, [program, 'start'], { env });
  const { code, stderr } = (await run.catch((error: { code: number; stderr: string }) => error)) as {
    code: number;
    stderr: string;
  };
  const [said = '', loaded = ''] = stderr.split('\n');
  expect([code, said]).toEqual([1, `${name}Node.js 20.18.3 is too old. Install 20.19 or later, best 24.`]);
  expect((JSON.parse(loaded) as string[]).filter((url) => !/^(?:node:|file:|data:|$)/.test(url))).toEqual([]);
});

test('a gateway answers without having loaded what it does not need for that', async () => {
  // A name for traces is no collector of them.
  const settings = { MONGODB_URI: undefined, OTEL_SERVICE_NAME: 'gateway' };
  const gateway = workshop.start({ ...settings, ...before(LIST_LOADED) });
  const answer = await fetch(`${await gateway.url()}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ me { id } }' }),
  });
  expect(await answer.text()).toContain('UNAUTHENTICATED');
  expect(await gateway.stop()).toBe(0);
  const loaded: string[] = JSON.parse(gateway.stderr);
  expect(loaded).toEqual(expect.arrayContaining(['express', 'graphql', 'mongoose']));
  expect(loaded.filter((name) => LATER.includes(name) || name.startsWith('@opentelemetry/'))).toEqual([]);
  expect(gateway.stdout).not.toContain('trace_id');
  // The client of `fetch`. An `import` of node:http loads it (patches/node-http.ts).
  expect(loaded).not.toContain('node:internal/deps/undici/undici');
});

/** The packages that a process has loaded which imports these files of `dist`. */
async function loadedBy(...files: string[]): Promise<string[]> {
  const program = files
    .map((file) => `await import(${JSON.stringify(path.resolve('dist', file))})`)
    .join(';');
  const env = { ...process.env, ...before(LIST_LOADED) };
  const words = ['--input-type=module', '--eval', program];
  const { stderr } = await promisify(execFile)(process.execPath, words, { env });
  return JSON.parse(stderr) as string[];
}

test('the settings are read before the libraries of the database are loaded', async () => {
  const loaded = await loadedBy('config/config.js');
  expect(loaded).toContain('class-validator');
  expect(loaded.filter((name) => ['mongoose', 'mongodb', 'bcrypt'].includes(name))).toEqual([]);
});

test.each(['cli/admin/open-context.js', 'cli/sweep.js'])(
  'the command with dist/%s loads the domain without the libraries of the APIs',
  async (file) => {
    const loaded = await loadedBy(file);
    expect(loaded).toContain('mongoose');
    const ofApis = ['express', 'graphql', 'type-graphql', '@apollo/server', ...LATER];
    expect(loaded.filter((name) => ofApis.includes(name))).toEqual([]);
  },
);

/** Sends a signal as soon as the process loads its settings, long before the app. Its hooks run in another thread. */
const signalEarly = (signal: string) => {
  const hooks = `export async function load(url, context, next) {
    if (url.endsWith('/dist/config/config.js')) process.kill(process.pid, '${signal}');
    return next(url, context);
  }`;
  const url = JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`);
  return before(`import { register } from 'node:module'; register(${url});`);
};

test('a SIGHUP while the gateway loads does not end it', async () => {
  const gateway = workshop.start(signalEarly('SIGHUP'));
  await gateway.url();
  await gateway.printed('were read again');
  expect(await gateway.stop()).toBe(0);
  expect(gateway.stderr).toBe('');
});

test('a SIGTERM while the gateway loads ends it without a failure and before it listens', async () => {
  const gateway = workshop.start(signalEarly('SIGTERM'));
  expect(await gateway.exitCode()).toBe(0);
  expect(gateway.stdout + gateway.stderr).toBe('');
});
