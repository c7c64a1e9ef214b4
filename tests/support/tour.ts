import { rememberPassword } from './response-record.ts';

/** The password of all accounts in the README's tour. */
const PASSWORD = 'correct horse';

/** Records the password of the tour, so that the tests find it in a log. */
export const rememberTourPassword = (): void => rememberPassword(PASSWORD);

/** Checks the answer of every step of the README's tour. Each answer is a line of JSON. */
export function expectTourAnswers(output: string): void {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
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
}
