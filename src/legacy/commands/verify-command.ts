import { existsSync } from 'node:fs';
import { UsageError } from '../../cli/command-words.ts';
import type { Command } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const verifyCommand: Command = {
  usage: '[--files DIR] [--sample N] [--tokens FILE] [--url URL]',
  summary:
    'compares every row and file with the legacy service, or N random ones of each kind. Exits with 1 if one differs.\n' +
    '      --tokens logs in with the tokens of a file, one in each line, at --url (default: BASE_URL)',
  options: ['files', 'sample', 'tokens', 'url'],
  prepare: (options) => {
    const { sample, tokens, url } = options;
    const count = sample === undefined ? undefined : Number(sample);
    if (count !== undefined && !(Number.isInteger(count) && count > 0 && count <= 1_000_000)) {
      throw new UsageError('--sample must be a whole number from 1 to 1000000.');
    }
    if (tokens !== undefined && !existsSync(tokens)) {
      throw new UsageError(`--tokens must be a file: ${tokens}`);
    }
    if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
      throw new UsageError('--url must be an address such as http://127.0.0.1:4000.');
    }
    const given = { legacy: legacyOptions(options), sample: count, tokensFile: tokens, url };
    return async (session) => {
      const { runVerify } = await import('./runs/run-verify.ts');
      await runVerify(session, given);
    };
  },
};
