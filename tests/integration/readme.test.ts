import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { watch } from '../support/gateway-process.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { toursOf } from '../support/readme.ts';
import { useTestApp } from '../support/test-app.ts';
import { expectTourAnswers, rememberTourPassword, TOURS } from '../support/tour.ts';

const app = useTestApp();

test.each(TOURS)(
  'the commands of %s run as a script, and each has the documented answer',
  async (document) => {
    const script = (await toursOf(document)).join('\n');
    rememberTourPassword();
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, BASE: app.url },
    });
    expectTourAnswers(document, stdout);
  },
);

test('the README is a page to read at one sitting', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(150);
});

/** Runs `npm run tour` without npm. */
async function takeTour(base: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, BASE: base };
  const running = watch(spawn(process.execPath, ['scripts/tour.js'], { env }));
  const code = await running.exitCode();
  return { code, stdout: running.stdout, stderr: running.stderr };
}

test('npm run tour shows every request with its answer, and no token in full', async () => {
  rememberTourPassword();
  const { code, stdout, stderr } = await takeTour(`${app.url}/`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const statuses = [...stdout.matchAll(/→ (\d+) /g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([201, 201, 200, 200, 200, 401, 200, 200, 200, 200, 200]);
  expect(stdout.match(/^\d+\. (?:REST|GraphQL): /gm)).toHaveLength(statuses.length);
  expect(stdout).toContain(`curl ${app.url}/api/v1/auth/register/patient`);
  expect(stdout).toMatch(/"token": "\w+\|\w{4}…"/);
  expect(stdout).not.toMatch(/\|\w{5}/);
});

test('npm run tour says in one sentence what is wrong with its address', async () => {
  const page = createServer((_req, res) => res.end('<html>'));
  const port = await listenOnFreePort(page);
  const other = await takeTour(`http://127.0.0.1:${port}`);
  page.close();
  const nobody = await takeTour(`http://127.0.0.1:${port}`);
  const nonsense = await takeTour('127.0.0.1');
  expect([other, nobody, nonsense].map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    Array(3).fill({ code: 2, stdout: '' }),
  );
  expect(other.stderr).toContain(`What answers at http://127.0.0.1:${port} is not an auth-gateway.`);
  expect(nobody.stderr).toContain(
    `No gateway answers at http://127.0.0.1:${port}. Start one with "npm start"`,
  );
  expect(nonsense.stderr).toContain('"127.0.0.1" is not the address of a gateway');
});

test('npm run tour stops at the first step that fails, and shows its answer', async () => {
  const overloaded = createServer((req, res) => {
    res.writeHead(req.url === '/healthz' ? 200 : 503, { 'Content-Type': 'application/json' });
    res.end(req.url === '/healthz' ? '{"status":"ok"}' : '{"message":"Service Unavailable"}');
  });
  const port = await listenOnFreePort(overloaded);
  const { code, stdout, stderr } = await takeTour(`http://127.0.0.1:${port}`);
  overloaded.close();
  expect(code).toBe(1);
  expect(stdout).toContain('"message": "Service Unavailable"');
  expect(stdout).not.toContain('2. REST');
  expect(stderr).toContain('This step should have succeeded with the status 201.');
});
