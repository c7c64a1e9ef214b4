import { generateServiceSecret, SERVICE_ID, secretDigest } from '../../auth/service-authentication.ts';
import { type Command, UsageError } from '../command-line.ts';
import { type Line, printAll } from '../print.ts';
import type { OPTIONS } from './command.ts';

export const newClient: Command<typeof OPTIONS> = {
  usage: 'ID',
  summary:
    'makes a secret for a service, and prints it with the entry for INTROSPECTION_CLIENTS. It stores nothing',
  options: [],
  operand: 'ID',
  prepare: (_options, id) => {
    if (!SERVICE_ID.test(id)) {
      throw new UsageError(
        'Say for which service: clients new ID, of up to 64 letters, digits, ".", "_" and "-".',
      );
    }
    return async ({ isJson, stdout }) => {
      await printAll(secretOf(id), isJson, stdout);
      return 0;
    };
  },
};

async function* secretOf(id: string): AsyncGenerator<Line> {
  const secret = generateServiceSecret();
  const entry = `${id}:${secretDigest(secret).toString('hex')}`;
  const text = [
    `The secret of ${id}, which is not shown again: ${secret}`,
    `Add this to INTROSPECTION_CLIENTS, after a comma if it is not the first, or on its own line of INTROSPECTION_CLIENTS_FILE: ${entry}`,
  ];
  yield { text, json: { id, secret, entry } };
}
