import type { ResetLink } from '../../auth/passwords/reset-tokens.ts';
import type { Line } from '../print.ts';
import type { Command } from './command.ts';
import { WHICH_ACCOUNT, whichAccount } from './which-account.ts';

/** The operator gives the link to the owner of the account, where nobody else can read it. */
export const resetLink: Command = {
  ...WHICH_ACCOUNT,
  summary: 'makes a link, or a code, for a new password; it is shown once',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, resetLinks, operator }): AsyncGenerator<Line> {
      const { id } = await directory.find(which);
      const link = await resetLinks.make(id, operator);
      yield { text: describeLink(id, link), json: { id, ...presentLink(link) } };
    };
  },
};

/** The lines that show a link to a person. */
export const describeLink = (id: string, { token, url, expiresAt }: ResetLink): string[] => [
  `The ${url === undefined ? 'code' : 'link'} for a new password of account ${id}, valid once until ${expiresAt.toISOString()}:`,
  url ?? token,
];

/** A link for a program. */
export const presentLink = ({ token, url, expiresAt }: ResetLink) => ({
  code: token,
  url: url ?? null,
  expiresAt,
});
