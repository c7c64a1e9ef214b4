import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLog } from '../../src/system/log.ts';
import { throughEachApi } from '../support/apis.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { freePort } from '../support/listen.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { expectNoSecretsIn } from '../support/response-record.ts';

/** Far more than a start takes, on a busy machine as well. */
const START_MILLIS = 60_000;

// docs/contract.md, "Unexpected errors": the cause goes to the log, redacted, with the request id of the response.
const workshop = useWorkshop();
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = workshop.start({ LOG_LEVEL: 'trace' });
  await gateway.url();
  await rm(path.join(workshop.folder, 'storage/certifications'), { recursive: true });
});

throughEachApi((apiOf) => {
  test('the log has the cause of an unexpected error with the request id of the response', async () => {
    const api = apiOf(await gateway.url());
    const { http } = refused(await api.registerDoctor(aDoctor()), 'unexpected');
    const requestId = http.headers.get('x-request-id') ?? '';
    expect(requestId).not.toBe('');
    await eventually(() => {
      const lines = gateway.stdout.split('\n').filter((each) => each.includes(requestId));
      expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
        { requestId, err: { message: expect.stringContaining('ENOENT') } },
        { requestId, msg: 'request' },
      ]);
    });
  });

  // Every test file searches the logs of all that it has started: with this, which is to find what it is there for.
  test('the search of the logs finds a password, a token and either hash', async () => {
    const api = apiOf(await gateway.url());
    const patient = aPatient();
    const { account, token } = authenticated(await api.registerPatient(patient));
    const hash = (await workshop.database.accounts.findOne({ _id: account.id }))?.passwordHash;
    const [, secret = ''] = token.split('|');
    const secretHash = createHash('sha256').update(secret).digest('hex');
    for (const leaked of [patient.password, token, secret, hash, secretHash]) {
      expect(() => expectNoSecretsIn(`{"msg":"request","text":"it was ${leaked}."}\n`)).toThrow();
    }
    expectNoSecretsIn(gateway.stdout + gateway.stderr);
  });
});

test('the log is complete after a crash', async () => {
  const program = path.join(workshop.folder, 'crash.mjs');
  const log = pathToFileURL(path.resolve('dist/system/log.js')).href;
  await writeFile(
    program,
    `import { createLog } from ${JSON.stringify(log)};
     const log = createLog('info');
     for (const words of ['first', 'second', 'last']) log.info(words);
     process.kill(process.pid, 'SIGKILL');`,
  );
  const crashed = workshop.start({}, program);
  await crashed.exitCode();
  expect(crashed.stdout.match(/first|second|last/g)).toEqual(['first', 'second', 'last']);
});

describe('a log that cannot be written', () => {
  test.each(['a full disk', 'a pipe that nobody reads'])(
    'a log that cannot be written does not end the gateway: %s',
    async (output) => {
      const isDisk = output === 'a full disk';
      const port = await freePort();
      const settings = { PORT: `${port}`, MONGODB_URI: workshop.database.uri, LOG_LEVEL: 'trace' };
      const full = await open('/dev/full', 'w');
      const child = spawn(process.execPath, [path.resolve('dist/main.js')], {
        cwd: workshop.folder,
        env: { PATH: process.env.PATH, ...settings },
        stdio: ['ignore', isDisk ? full.fd : 'pipe', 'ignore'],
      });
      child.stdout?.destroy();
      const ended = once(child, 'close');
      try {
        const ask = () => fetch(`http://127.0.0.1:${port}/healthz`);
        // Nobody can read its start line.
        await eventually(ask, START_MILLIS);
        for (let request = 0; request < 3; request += 1) {
          expect((await ask()).status).toBe(200);
        }
      } finally {
        child.kill('SIGTERM');
        expect(await ended).toEqual([0, null]);
        await full.close();
      }
    },
  );

  test('the gateway writes the waiting lines when there is room again, up to a limit', async () => {
    const program = path.join(workshop.folder, 'full.mjs');
    const log = pathToFileURL(path.resolve('dist/system/log.js')).href;
    await writeFile(
      program,
      `import fs from 'node:fs';
       import { createLog } from ${JSON.stringify(log)};
       const { writeSync } = fs;
       fs.writeSync = () => { throw Object.assign(new Error('no space'), { code: 'ENOSPC' }); };
       const log = createLog('info');
       for (let line = 0; line < 3_000; line += 1) log.info('line ' + line + ' '.repeat(1_000));
       fs.writeSync = writeSync;
       for (const words of ['room again', 'last']) log.info(words);`,
    );
    const full = workshop.start({}, program);
    expect(await full.exitCode()).toBe(0);
    expect(full.stdout).toContain('line 0 ');
    expect(full.stdout).toContain('line 900 ');
    expect(full.stdout).not.toContain('line 2000 ');
    expect(full.stdout).toMatch(/"msg":"last"\}\n$/);
  });
});

test('the log takes what was thrown, even if it is no error', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  for (const err of ['hunter2', null, 5, { password: 'hunter2' }]) {
    log.error({ err }, 'it failed');
  }
  expect(lines).toHaveLength(4);
  expect(lines.join('')).not.toContain('hunter2');
});

test('the log hides a value under the name of a secret at any depth', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const ofAccounts = ['password', 'passwordHash', 'token', 'bearer', 'secretHash', 'authorization'];
  const names = [...ofAccounts, 'secretAccessKey'];
  for (const name of names) {
    const field = { [name]: 'hunter2' };
    log.info({ ...field, deep: field, deeper: { still: field } }, 'a line');
  }
  expect(lines).toHaveLength(names.length);
  expect(lines.join('')).not.toContain('hunter2');
});
