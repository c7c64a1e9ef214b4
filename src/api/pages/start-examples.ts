/** One call of each API, for a shell. */
export interface StartExamples {
  graphql: string;
  rest: string;
}

const PASSWORD = 'correct horse battery';

/**
 * Writes the examples. Each succeeds when it is pasted.
 * @param baseUrl without a slash at the end
 * @param run makes the e-mail addresses new
 */
export const startExamples = (baseUrl: string, run: string): StartExamples => ({
  graphql: curl(`${baseUrl}/graphql`, [
    '{',
    // A text of JSON cannot go over two lines. Some shells take `!)` for a command of their history, so a blank is between.
    '  "query": "mutation ($input: RegisterPatientInput! ) { registerPatient(input: $input) { token } }",',
    '  "variables": { "input": {',
    '    "name": "Pat Example",',
    `    "email": "pat.${run}@example.org",`,
    `    "password": "${PASSWORD}"`,
    '  } }',
    '}',
  ]),
  rest: curl(`${baseUrl}/api/v1/auth/register/patient`, [
    '{',
    '  "name": "Sam Example",',
    `  "email": "sam.${run}@example.org",`,
    `  "password": "${PASSWORD}"`,
    '}',
  ]),
});

const curl = (url: string, body: string[]): string =>
  [`curl ${shellWord(url)} \\`, "  -H 'Content-Type: application/json' \\", `  -d '${body.join('\n')}'`].join(
    '\n',
  );

/** A text as one word of a shell. A path may contain `;`, `&` or `'`, and zsh reads the brackets of an IPv6 address. */
const shellWord = (text: string): string =>
  /^[\w:/.%~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
