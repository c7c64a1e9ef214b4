import type { Line } from '../../print.ts';
import type { Command } from '../command.ts';
import { WHICH_ACCOUNT, whichAccount } from '../which-account.ts';
import { readNewEmail } from './new-account.ts';

export const setEmail: Command = {
  usage: `${WHICH_ACCOUNT.usage} --to NEW`,
  summary:
    'gives an account another e-mail and tells both addresses, if mail is set up. Its tokens stay valid',
  options: [...WHICH_ACCOUNT.options, 'to'],
  prepare: (options) => {
    const which = whichAccount(options);
    const email = readNewEmail('to', options.to);
    return async function* ({ directory, accounts, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const isChanged = await accounts.setEmail(account, email, operator);
      const text = isChanged
        ? `Account ${account.id} has the e-mail ${email} now.`
        : `Nothing was done: account ${account.id} has this e-mail already.`;
      yield { text, json: { id: account.id, email, isChanged } };
    };
  },
};

export const disableAccount: Command = {
  ...WHICH_ACCOUNT,
  summary: 'blocks logins to an account and revokes its tokens',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, accounts, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const { disabledAt, revoked } = await accounts.disable(account, operator);
      const text =
        account.disabledAt && revoked === 0
          ? `Nothing was done: account ${account.id} is disabled already.`
          : `Account ${account.id} is disabled; tokens revoked: ${revoked}.`;
      yield { text, json: { id: account.id, disabledAt, revoked } };
    };
  },
};

export const enableAccount: Command = {
  ...WHICH_ACCOUNT,
  summary: 'allows logins to a disabled account again',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, accounts, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const isChanged = await accounts.enable(account, operator);
      const text = isChanged
        ? `Account ${account.id} is enabled; its owner has to log in again.`
        : `Nothing was done: account ${account.id} is not disabled.`;
      yield { text, json: { id: account.id, disabledAt: null } };
    };
  },
};
