import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp();

/** The first shell script under a heading of the README, as somebody would paste it. */
async function scriptUnder(heading: string): Promise<string> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  const [, script] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  if (script === undefined) throw new Error(`README.md has no script under "${heading}"`);
  return script;
}

test("the README's tour can be pasted as it is, and every step of it answers as it says", async () => {
  const script = await scriptUnder('A tour with curl');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, BASE: app.url },
  });

  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { data: { account: { name: 'Dr. Ada Example' }, token: expect.any(String) } },
    { data: { name: 'Pat Example', role: 'patient' }, token: expect.any(String) },
    { data: { role: 'patient' }, token: expect.any(String) },
    { message: 'Logged out' },
    { message: 'Unauthenticated.' },
    { data: { registerDoctor: { account: { role: 'DOCTOR' }, token: expect.any(String) } } },
    { data: { registerPatient: { account: { name: 'Sam Example', role: 'PATIENT' } } } },
    { data: { login: { token: expect.any(String) } } },
    { data: { me: { name: 'Dr. Bo Example' }, myTokens: [{ current: true }, { name: 'doctor-token' }] } },
    { data: { logout: { message: 'Logged out' } } },
  ]);
});
