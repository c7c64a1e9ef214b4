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

/**
 * The answer in a line. In a terminal, what was typed while the command ran may stand before it and after it.
 * @returns nothing if there is no whole answer in it
 */
function answersIn(line: string): unknown[] {
  const text = /\{"(?:data|id|message)":.*/.exec(line)?.[0] ?? '';
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    try {
      return [JSON.parse(text.slice(0, end + 1))];
    } catch {
      // The answer ends at a later brace.
    }
  }
  return [];
}

/** Checks the answers to all commands of a document. Each answer is JSON on one line. */
export function expectTourAnswers(document: string, output: string): void {
  expect(output.split('\n').flatMap(answersIn)).toMatchObject(ANSWERS[document] ?? []);
}
