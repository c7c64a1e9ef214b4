import type { AccountFilter } from '../../auth/admin/account-directory.ts';
import { LINE_MAX_CHARACTERS } from '../../auth/text-rules.ts';
import { type AdministeredAccount, ROLES, type Role, stateOf } from '../../stores/accounts.ts';
import type { Verification } from '../../stores/doctors.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import { type AdminCommand, type Options, shown, WHICH_ACCOUNT, whichAccount } from './command.ts';
import { PAGING, pageOf, readPaging, tableOf } from './paging.ts';

const TABLE = tableOf(
  ['ID', 24],
  ['ROLE', 8],
  ['STATE', 8],
  ['E-MAIL', 30],
  ['NAME', 24],
  ['PHONE', 16],
  ['CREATED', 24],
);

const OUTPUT = {
  heading: TABLE.heading,
  present: presentInLine,
  placeOf: ({ id }: AdministeredAccount) => id,
  ifNone: 'There are no such accounts.',
};

export const listAccounts: AdminCommand = {
  usage: `[--role R] [--disabled | --closed] [--without-two-factor] ${PAGING.usage}`,
  summary:
    'lists accounts, the largest id first. Of ids that the gateway made, that is the newest account. Of disabled and closed ones, those that were disabled last come first',
  options: ['role', 'disabled', 'closed', 'without-two-factor', ...PAGING.options],
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
function filterOf(options: Options): AccountFilter {
  const { role, disabled, closed, 'without-two-factor': isWithoutFactor } = options;
  if (disabled && closed) {
    throw new UsageError('Give either --disabled or --closed. Closed accounts are among the disabled ones.');
  }
  return {
    role: role === undefined ? undefined : readRole(role, Object.values(ROLES)),
    isDisabled: disabled,
    isClosed: closed,
    isWithoutFactor,
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

export const searchAccounts: AdminCommand = {
  usage: `TEXT [--prefix] ${PAGING.usage}`,
  summary:
    'finds accounts whose name, e-mail or phone contains TEXT, in the order of list. It reads every account, and says how far it is. With --prefix, it finds e-mails that begin with TEXT by an index, which is fast',
  options: ['prefix', ...PAGING.options],
  operand: 'TEXT',
  prepare: (options, text) => {
    if (text === '' || text.length > LINE_MAX_CHARACTERS) {
      throw new UsageError(`Say what to search for: a text of up to ${LINE_MAX_CHARACTERS} characters.`);
    }
    const paging = readPaging(options);
    return async function* ({ directory, noteReading, progress }): AsyncGenerator<Line> {
      await noteReading('search for accounts');
      const found = options.prefix
        ? directory.searchEmails(text, paging.after)
        : directory.search(text, paging.after, progress);
      yield* pageOf(found, paging, OUTPUT);
    };
  },
};

export const countAccounts: AdminCommand = {
  usage: '[--role R]',
  summary:
    'counts accounts: all, by role, the disabled ones, and the closed ones among these. With --role, prints one number',
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
      const { accounts, byRole, others, disabled, closed } = counts;
      const fields = { accounts, ...byRole, ...(others > 0 && { others }), disabled, closed };
      yield {
        text: Object.entries(fields).map(([label, count]) => `${label}`.padEnd(10) + count),
        json: counts,
      };
    };
  },
};

export const showAccount: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'shows an account, and the review of a doctor',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, tokenAdmin, noteReading }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      await noteReading('account', account);
      const tokenCount = (await tokenAdmin.tokensOf(account)).length;
      yield presentAccount(account, tokenCount, await directory.verificationOf(account));
    };
  },
};

/** One line of a list of accounts. */
function presentInLine(account: AdministeredAccount): Line {
  const { id, role, email, name, phone, createdAt, disabledAt } = account;
  const state = stateOf(account);
  const text = TABLE.row(id, role, state, email, name, phone ?? '-', shown(createdAt, 'unknown'));
  return { text, json: { id, name, email, phone, role, createdAt, disabledAt } };
}

/**
 * A whole account, without its hash.
 * @param verification of a doctor
 */
function presentAccount(
  account: AdministeredAccount,
  tokens: number,
  verification: Verification | undefined,
): Line {
  const { id, name, email, emailVerifiedAt, phone, role, createdAt, disabledAt } = account;
  const { erasureDueAt, legacyAbsence } = account;
  const fields: [label: string, value: unknown][] = [
    ['id', id],
    ['name', name],
    ['e-mail', email],
    ['proven', shown(emailVerifiedAt, 'no')],
    ['phone', phone ?? '-'],
    ['role', role],
    ['created', shown(createdAt, 'unknown')],
    ['disabled', shown(disabledAt, 'no')],
    ...(legacyAbsence
      ? [
          ['absent', `from the legacy service since ${shown(legacyAbsence.since, 'unknown')}`] as [
            string,
            unknown,
          ],
        ]
      : []),
    ...(erasureDueAt ? [['erased', `after ${shown(erasureDueAt, 'unknown')}`] as [string, unknown]] : []),
    ['tokens', tokens],
    ...(verification ? linesOf(verification) : []),
  ];
  const json = { id, name, email, emailVerifiedAt, phone, role, createdAt, disabledAt, tokens };
  return {
    text: fields.map(([label, value]) => label.padEnd(10) + value),
    json: {
      ...json,
      ...(legacyAbsence && { absentSince: legacyAbsence.since }),
      ...(erasureDueAt && { erasureDueAt }),
      ...(verification && { verification }),
    },
  };
}

const linesOf = ({ status, decidedAt, reason, until }: Verification): [label: string, value: unknown][] => [
  ['review', decidedAt ? `${status} since ${shown(decidedAt, 'unknown')}` : status],
  ...(until ? ([['until', shown(until, 'unknown')]] as [string, unknown][]) : []),
  ...(reason === null ? [] : ([['reason', reason]] as [string, unknown][])),
];
