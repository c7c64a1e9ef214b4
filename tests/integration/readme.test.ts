import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { codeUnder } from '../support/readme.ts';
import { rememberPassword } from '../support/response-record.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp();

test("the README's tour can be pasted as it is, and every step of it answers as it says", async () => {
  const script = await codeUnder('A tour with curl', 'sh');
  rememberPassword('correct horse');
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
