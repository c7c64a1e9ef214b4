import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import { type AdminCommand, readReason, shown, WHICH_ACCOUNT, whichAccount } from './command.ts';

export const listPasskeys: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'lists the passkeys of an account, the oldest first',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, twoFactorAdmin, noteReading }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      await noteReading('passkeys', account);
      for (const passkey of await twoFactorAdmin.passkeys(account)) {
        const { id, name, createdAt, lastUsedAt, backedUp } = passkey;
        const used = lastUsedAt === null ? 'never used' : `used ${shown(lastUsedAt, 'unknown')}`;
        const copied = backedUp ? 'copied to other devices' : 'on one device';
        yield {
          text: `${id}  added ${shown(createdAt, 'unknown')}  ${used}  ${copied}  ${JSON.stringify(name)}`,
          json: { account: account.id, ...passkey },
        };
      }
    };
  },
};

export const removePasskey: AdminCommand = {
  usage: `${WHICH_ACCOUNT.usage} --passkey ID --as NAME --reason TEXT`,
  summary:
    'removes a passkey of somebody who has lost the device. Sessions and the password stay. Make sure first who asks for it',
  options: [...WHICH_ACCOUNT.options, 'passkey', 'reason'],
  prepare: (options) => {
    const which = whichAccount(options);
    const { passkey: id } = options;
    if (id === undefined) {
      throw new UsageError('Say which passkey: --passkey, as passkeys list has it.');
    }
    const reason = readReason(options);
    if (options.as === undefined) {
      throw new UsageError('Say who you are: --as NAME.');
    }
    return async function* ({ directory, twoFactorAdmin, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      await twoFactorAdmin.removePasskey(account, id, reason, operator);
      yield {
        text: `The passkey was removed from account ${account.id}.`,
        json: { account: account.id, id },
      };
    };
  },
};
