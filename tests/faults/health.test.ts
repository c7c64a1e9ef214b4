import { execFile } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.ts';
import { useProxiedApp } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { jsonOf, send } from '../support/http.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';

const version = expect.any(String);
const ALL_OK = { database: 'ok', storage: 'ok', hashQueue: 'ok', process: 'ok' };

const expectReady = (url: string) =>
  eventually(async () => {
    const answer = await send(`${url}/readyz`);
    expect(jsonOf(answer)).toEqual({ status: 'ready', version, checks: ALL_OK });
    expect(answer.status).toBe(200);
  });

/** Checks that it is not ready, and why. */
async function expectNotReady(url: string, causes: Record<string, string>): Promise<void> {
  await eventually(async () => {
    const answer = await send(`${url}/readyz`);
    expect(jsonOf(answer)).toEqual({ status: 'not ready', version, checks: { ...ALL_OK, ...causes } });
    expect(answer.status).toBe(503);
  });
  // Whatever does not work, restarting the process would not help.
  expect((await send(`${url}/healthz`)).status).toBe(200);
}

describe('when nothing has failed', () => {
  const app = useTestApp({}, undefined, ...REAL_TIME);
  // There are over a thousand passwords that may wait: a test that sends so many is one of the machine that it runs on.
  const isFull = jest.spyOn(PasswordHasher.prototype, 'isFull', 'get');
  afterAll(() => isFull.mockRestore());

  test('a working gateway is alive and ready', async () => {
    const alive = await send(`${app.url}/healthz`);
    expect(alive.status).toBe(200);
    expect(jsonOf(alive)).toEqual({ status: 'ok' });
    await expectReady(app.url);
  });

  test.each(['/healthz', '/readyz'])(
    '%s is never cached and accepts only GET, HEAD and its exact spelling',
    async (target) => {
      const head = await send(`${app.url}${target}`, { method: 'HEAD' });
      expect(head.status).toBe(200);
      expect(head.headers.get('cache-control')).toBe('no-store');
      const post = await send(`${app.url}${target}`, { method: 'POST' });
      expect(post.status).toBe(405);
      expect(post.headers.get('allow')).toBe('GET, HEAD');
      expect((await send(`${app.url}${target}/`)).status).toBe(404);
    },
  );

  test('a gateway with a full hash queue is not ready', async () => {
    isFull.mockReturnValue(true);
    await expectNotReady(app.url, { hashQueue: 'is full' });
    isFull.mockReturnValue(false);
    await expectReady(app.url);
  });
});

describe('when the database goes away', () => {
  const behind = useProxiedApp({}, ...REAL_TIME);
  afterEach(() => behind.proxy.restore());

  test.each(['cut', 'swallow'] as const)(
    'a gateway without its database is not ready, answers within a second, and recovers: %s',
    async (fault) => {
      await expectReady(behind.app.url);
      await behind.proxy[fault]();
      await eventually(async () => {
        const start = performance.now();
        const answer = await send(`${behind.app.url}/readyz`);
        expect(answer.status).toBe(503);
        expect(performance.now() - start).toBeLessThan(1000);
        expect(jsonOf(answer)).toMatchObject({
          checks: { ...ALL_OK, database: expect.stringMatching(/^does not answer( in time)?$/) },
        });
      });
      await behind.proxy.restore();
      await expectReady(behind.app.url);
    },
  );
});

describe('when documents cannot be stored', () => {
  const workshop = useWorkshop();
  let gateway: GatewayProcess;
  let url: string;
  beforeAll(async () => {
    gateway = workshop.start();
    url = await gateway.url();
  });

  /** What the log says of the storage's health, in the order of events. */
  const logged = () =>
    gateway.stdout
      .split('\n')
      .filter((line) => line.includes('"health: ') && line.includes('"check":"storage"'))
      .map((line): unknown => JSON.parse(line));

  test('a gateway without its quarantine folder is not ready, and the log has the cause once', async () => {
    const quarantine = path.join(workshop.folder, 'storage/.quarantine');
    await rename(quarantine, `${quarantine}-away`);
    await writeFile(quarantine, '');
    await expectNotReady(url, { storage: 'cannot be written to' });
    await wait(1100);
    await expectNotReady(url, { storage: 'cannot be written to' });
    await rm(quarantine);
    await rename(`${quarantine}-away`, quarantine);
    await expectReady(url);
    expect(logged()).toMatchObject([
      { level: 40, check: 'storage', err: { message: expect.stringContaining(quarantine) } },
      { level: 30, check: 'storage' },
    ]);
  });

  test('a gateway with a full disk is not ready until there is space', async () => {
    // The system refuses to write to files in the same place and way as on a full disk (EFBIG for ENOSPC).
    const limitFiles = (bytes: string) =>
      promisify(execFile)('prlimit', ['--pid', String(gateway.pid), `--fsize=${bytes}:unlimited`]);
    await limitFiles('0');
    await expectNotReady(url, { storage: 'cannot be written to' });
    await limitFiles('unlimited');
    await expectReady(url);
  });
});
