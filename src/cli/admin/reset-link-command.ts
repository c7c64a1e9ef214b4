import { UsageError } from '../usage-error.ts';
import type { Command, Line, Options } from './command.ts';

/** An operator gives it to the owner of the account, by a way on which nobody else reads it. */
export const resetLink: Command = {
  usage: '--email E | --id ID',
  options: ['email', 'id'],
  summary: 'makes a link, or a code, for a new password; it is shown once',
  prepare: (options) => {
    const wanted = accountOf(options);
    return async function* ({ administration, resetLinks, operator }): AsyncGenerator<Line> {
      const id = wanted.id ?? (await administration.account(wanted.email)).id;
      const { token, url, expiresAt } = await resetLinks.make(id, operator);
      const until = expiresAt.toISOString();
      const what = url === undefined ? 'code' : 'link';
      const text = [
        `The ${what} for a new password of account ${id}, valid once until ${until}:`,
        url ?? token,
      ];
      yield { text, json: { id, code: token, url: url ?? null, expiresAt } };
    };
  },
};

/** @throws UsageError unless exactly one of them is given */
function accountOf({ email, id }: Options): { id: string; email?: never } | { id?: never; email: string } {
  if (email && !id) {
    return { email };
  }
  if (id && !email) {
    return { id };
  }
  throw new UsageError('Give either --email E or --id ID.');
}
