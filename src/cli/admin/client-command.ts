import { generateServiceSecret, SERVICE_ID, secretDigest } from '../../auth/service-authentication.ts';
import { UsageError } from '../command-words.ts';
import type { Line } from '../print.ts';
import type { OfflineCommand } from './command.ts';

export const newClient: OfflineCommand = {
  usage: 'ID',
  summary:
    'makes a secret for a service, and prints it with the entry for INTROSPECTION_CLIENTS. It stores nothing',
  options: [],
  operand: 'ID',
  run: (id) => {
    if (!SERVICE_ID.test(id)) {
      throw new UsageError(
        'Say for which service: clients new ID, of up to 64 letters, digits, ".", "_" and "-".',
      );
    }
    return (async function* (): AsyncGenerator<Line> {
      const secret = generateServiceSecret();
      const entry = `${id}:${secretDigest(secret).toString('hex')}`;
      const text = [
        `The secret of ${id}, which is not shown again: ${secret}`,
        `Add this to INTROSPECTION_CLIENTS, after a comma if it is not the first, or on its own line of INTROSPECTION_CLIENTS_FILE: ${entry}`,
      ];
      yield { text, json: { id, secret, entry } };
    })();
  },
};
