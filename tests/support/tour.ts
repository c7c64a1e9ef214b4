import { rememberPassword } from './response-record.ts';

/** The password of all accounts in the tours. */
const PASSWORD = 'correct horse';

/** Records the password of the tours, so that the tests find it in a log. */
export const rememberTourPassword = (): void => rememberPassword(PASSWORD);

const token = expect.any(String);

/** The documents whose shell commands call a gateway, each with the answers to all of them. */
const ANSWERS: Record<string, object[]> = {
  'README.md': [
    { data: { name: 'Pat Example', role: 'patient' }, token },
    { data: { name: 'Pat Example', role: 'patient' }, token },
    { data: { login: { account: { role: 'PATIENT' }, token } } },
  ],
  'docs/rest.md': [
    { data: { name: 'Pat Example', role: 'patient' }, token },
    { data: { account: { name: 'Dr. Ada Example' }, token } },
    { data: { role: 'patient' }, token },
    { name: 'Pat Example', role: 'patient' },
    { message: 'Logged out' },
    { message: 'Unauthenticated.' },
  ],
  'docs/graphql.md': [
    { data: { registerPatient: { account: { name: 'Sam Example', role: 'PATIENT' }, token } } },
    {
      data: {
        registerDoctor: { account: { role: 'DOCTOR' }, profile: { licenseFileUrl: expect.any(String) } },
      },
    },
    { data: { login: { token } } },
    { data: { me: { name: 'Dr. Bo Example' }, myTokens: [{ current: true }, { name: 'doctor-token' }] } },
    { data: { logout: { message: 'Logged out' } } },
  ],
};

export const TOURS = Object.keys(ANSWERS);

/** An answer at the end of a line. In a terminal, before it may stand what was typed while the command ran. */
const ANSWER = /\{"(?:data|id|message)":.*\}$/gm;

/** Checks the answers to all commands of a document. Each answer is JSON on one line. */
export function expectTourAnswers(document: string, output: string): void {
  const answers = [...output.matchAll(ANSWER)].map(([json]): unknown => JSON.parse(json));
  expect(answers).toMatchObject(ANSWERS[document] ?? []);
}
