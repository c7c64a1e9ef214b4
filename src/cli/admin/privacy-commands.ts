import { presentPersonalData } from '../../auth/privacy/personal-data.ts';
import type { Line } from '../print.ts';
import { requireConsent } from '../prompt.ts';
import { type AdminCommand, type CommandContext, WHICH_ACCOUNT, whichAccount } from './command.ts';

export const exportAccount: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'prints everything that the gateway stores about a person, as one JSON document',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, openErasureAdmin, urls, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const admin = await openErasureAdmin();
      const json = presentPersonalData(await admin.export(account, operator), urls);
      yield { text: JSON.stringify(json, undefined, 2).split('\n'), json };
    };
  },
};

export const eraseAccount: AdminCommand = {
  usage: `${WHICH_ACCOUNT.usage} [--now] [--yes]`,
  summary:
    'closes an account, and erases it with its documents after ERASURE_GRACE_DAYS. With --now, erases it at once',
  options: [...WHICH_ACCOUNT.options, 'now', 'yes'],
  prepare: (options) => {
    const which = whichAccount(options);
    const { now = false, yes = false } = options;
    return async function* (context): AsyncGenerator<Line> {
      const account = await context.directory.find(which);
      const consequence = now ? 'erased for good' : 'closed';
      await requireConsent(yes, `The account ${account.id} will be ${consequence}. Go on?`);
      yield now ? await eraseNow(context, account) : await close(context, account);
    };
  },
};

type Account = Awaited<ReturnType<CommandContext['directory']['find']>>;

async function eraseNow({ openErasureAdmin, operator }: CommandContext, account: Account): Promise<Line> {
  await (await openErasureAdmin()).erase(account, operator);
  return { text: `Account ${account.id} is erased.`, json: { id: account.id, isErased: true } };
}

async function close({ openErasureAdmin, operator }: CommandContext, account: Account): Promise<Line> {
  const { erasedAfter, revoked } = await (await openErasureAdmin()).close(account, operator);
  const text = [
    `Account ${account.id} is closed; tokens revoked: ${revoked}.`,
    `It is erased after ${erasedAfter.toISOString()}. Until then, accounts enable undoes this.`,
  ];
  return { text, json: { id: account.id, isErased: false, erasedAfter, revoked } };
}
