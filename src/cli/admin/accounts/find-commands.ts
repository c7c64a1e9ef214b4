import { LINE_MAX_CHARACTERS } from '../../../auth/account-texts.ts';
import type { AccountFilter } from '../../../auth/operators/account-directory.ts';
import { type KnownAccount, ROLES, type Role } from '../../../stores/accounts.ts';
import type { Line } from '../../print.ts';
import { UsageError } from '../../usage-error.ts';
import type { Command, Options } from '../command.ts';
import { PAGING, pageOf, readPaging } from '../paging.ts';
import { WHICH_ACCOUNT, whichAccount } from '../which-account.ts';
import { presentAccount, presentInLine } from './present-account.ts';

const OUTPUT = {
  present: presentInLine,
  placeOf: ({ id }: KnownAccount) => id,
  ifNone: 'There are no such accounts.',
};

export const listAccounts: Command = {
  usage: `[--role R] [--disabled] ${PAGING.usage}`,
  summary: 'lists accounts, the largest id first: with ids that were made here, the newest first',
  options: ['role', 'disabled', ...PAGING.options],
  prepare: (options) => {
    const filter = filterOf(options);
    const paging = readPaging(options);
    return async function* ({ directory, noteReading }): AsyncGenerator<Line> {
      await noteReading('list of accounts');
      yield* pageOf(directory.list(filter, paging.after), paging, OUTPUT);
    };
  },
};

/** @throws UsageError */
function filterOf({ role, disabled }: Options): AccountFilter {
  return {
    role: role === undefined ? undefined : readRole(role, Object.values(ROLES)),
    isDisabled: disabled,
  };
}

/** @throws UsageError */
export function readRole<R extends Role>(role: string, roles: readonly R[]): R {
  const known = roles.find((one) => one === role);
  if (known === undefined) {
    throw new UsageError(`--role must be one of: ${roles.join(', ')}.`);
  }
  return known;
}

export const searchAccounts: Command = {
  usage: `TEXT [--prefix] ${PAGING.usage}`,
  summary:
    'finds accounts by a part of the name, e-mail or phone, in the order of list. It reads every account, which takes a while among many. With --prefix it finds e-mails that begin with TEXT, by an index',
  options: ['prefix', ...PAGING.options],
  operand: 'TEXT',
  prepare: (options, text) => {
    if (text === '' || text.length > LINE_MAX_CHARACTERS) {
      throw new UsageError(`Say what to search for: a text of up to ${LINE_MAX_CHARACTERS} characters.`);
    }
    const paging = readPaging(options);
    return async function* ({ directory, noteReading }): AsyncGenerator<Line> {
      await noteReading('search for accounts');
      const found = options.prefix
        ? directory.searchEmails(text, paging.after)
        : directory.search(text, paging.after);
      yield* pageOf(found, paging, OUTPUT);
    };
  },
};

export const countAccounts: Command = {
  usage: '[--role R]',
  summary: 'counts the accounts, also by role; it reads every account',
  options: ['role'],
  prepare: (options) => {
    const { role } = filterOf(options);
    return async function* ({ directory }): AsyncGenerator<Line> {
      const counts = await directory.count();
      if (role !== undefined) {
        const accounts = counts.byRole[role];
        yield { text: `${accounts}`, json: { role, accounts } };
        return;
      }
      const fields = { accounts: counts.accounts, ...counts.byRole, disabled: counts.disabled };
      yield {
        text: Object.entries(fields).map(([label, count]) => `${label}`.padEnd(10) + count),
        json: counts,
      };
    };
  },
};

export const showAccount: Command = {
  ...WHICH_ACCOUNT,
  summary: 'shows an account, also the review of a doctor',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, tokens, noteReading }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      await noteReading('account', account);
      const tokenCount = (await tokens.tokensOf(account)).length;
      yield presentAccount(account, tokenCount, await directory.verificationOf(account));
    };
  },
};
