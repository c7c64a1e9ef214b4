import { ROLES } from '../../stores/accounts.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import { describeLink, presentLink } from './change-accounts.ts';
import { type AdminCommand, readReason, shown, WHICH_ACCOUNT, whichAccount } from './command.ts';

export const showTwoFactor: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'shows the second factor of an account, without its secrets',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, twoFactorAdmin, noteReading }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      await noteReading('second factor', account);
      const found = await twoFactorAdmin.show(account);
      const { enabled, confirmedAt, recoveryCodesLeft, wrongCodes, passkeys, required } = found;
      const fields: [label: string, value: unknown][] = [
        ['second factor', enabled ? `on since ${shown(confirmedAt, 'unknown')}` : 'off'],
        ['recovery codes', recoveryCodesLeft],
        ['wrong codes', `${wrongCodes} in a row`],
        ['passkeys', passkeys],
        ['required', required ? 'yes, by TWO_FACTOR_REQUIRED' : 'no'],
      ];
      yield {
        text: fields.map(([label, value]) => label.padEnd(16) + value),
        json: { id: account.id, ...found },
      };
    };
  },
};

/** The operator gives the link to the owner of the account, where nobody else can read it. */
export const removeTwoFactor: AdminCommand = {
  usage: `${WHICH_ACCOUNT.usage} --as NAME --reason TEXT`,
  summary:
    'removes the second factor, the passkeys and the password of somebody who has lost the app, the recovery codes and the devices, ends all sessions, and prints a link with which the owner chooses a new password. Make sure first who asks for it',
  options: [...WHICH_ACCOUNT.options, 'reason'],
  prepare: (options) => {
    const which = whichAccount(options);
    const reason = readReason(options);
    if (options.as === undefined) {
      throw new UsageError('Say who you are: --as NAME.');
    }
    return async function* ({ directory, twoFactorAdmin, resetLinks, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const { id } = account;
      if (account.role === ROLES.OPERATOR) {
        throw new UsageError('An operator is set up anew: accounts set-up-link.');
      }
      const { revoked } = await twoFactorAdmin.remove(account, reason, operator);
      const link = await resetLinks.make(id, operator).catch((cause: unknown) => {
        const text = `The second factor and the password of account ${id} were removed, but no link was made: accounts reset-link makes one.`;
        throw new Error(text, { cause });
      });
      const done = `The second factor and the password of account ${id} were removed; tokens revoked: ${revoked}.`;
      yield { text: [done, ...describeLink(id, link)], json: { id, revoked, ...presentLink(link) } };
    };
  },
};
