import { CREATED_ROLES, type NewAccount } from '../../auth/admin/account-admin.ts';
import { isNewEmailAddress } from '../../auth/email-address.ts';
import type { ResetLink } from '../../auth/passwords/password-reset-tokens.ts';
import {
  PASSWORD_MAX_BYTES,
  type Person,
  passwordBytes,
  passwordCharacters,
} from '../../auth/passwords/password-rules.ts';
import { isStorable, LINE_MAX_CHARACTERS, readLine } from '../../auth/text-rules.ts';
import { ROLES, type Role, STAFF_ROLES } from '../../stores/accounts.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import {
  type AdminCommand,
  type CommandContext,
  type Options,
  readReason,
  WHICH_ACCOUNT,
  whichAccount,
} from './command.ts';
import { readRole } from './find-accounts.ts';

export const createAccount: AdminCommand = {
  usage: `--role ${CREATED_ROLES.join('|')} --name N --email E [--phone P] [--password-stdin]`,
  summary:
    'creates an account, and prints a link with which the owner chooses a password. Only this command creates reviewers and operators; with OPERATOR_API=on, they set up a second factor by the link, too, and cannot log in before. With --password-stdin, the password is the first line of the standard input',
  options: ['role', 'name', 'email', 'phone', 'password-stdin'],
  prepare: (options) => {
    const fields = readFields(options);
    return async function* (context): AsyncGenerator<Line> {
      const { accountAdmin, operator, resetLinks } = context;
      const waitsForSetUp = context.setUpUrl !== undefined && STAFF_ROLES.includes(fields.role);
      refuseWithoutSetUp(fields.role, options, waitsForSetUp);
      const password = options['password-stdin'] ? await readPassword(fields, context) : undefined;
      const account = await accountAdmin.create({ ...fields, password, waitsForSetUp }, operator);
      const { id, name, email, phone, role, createdAt } = account;
      const made = { id, name, email, phone, role, createdAt };
      const created = `Account ${id} of the ${role} ${email} was created.`;
      if (waitsForSetUp) {
        const { text, json } = await makeSetUpLink(id, context);
        yield { text: [created, ...text], json: { ...made, ...json } };
        return;
      }
      const link = password === undefined ? await resetLinks.make(id, operator) : undefined;
      const text = [created, ...(link ? describeLink(id, link) : [])];
      yield { text, json: { ...made, ...(link && presentLink(link)) } };
    };
  },
};

/** @throws UsageError */
function refuseWithoutSetUp(role: Role, options: Options, waitsForSetUp: boolean): void {
  if (role === ROLES.OPERATOR && !waitsForSetUp) {
    throw new UsageError('OPERATOR_API is off: there is nothing that an operator could log in to.');
  }
  if (waitsForSetUp && options['password-stdin']) {
    throw new UsageError(
      'A reviewer or an operator chooses the password by the link, together with the second factor.',
    );
  }
}

/** Makes a link that sets up an account, and the lines that show it. */
async function makeSetUpLink(id: string, { setUpLinks, setUpUrl, operator }: CommandContext) {
  const { token, expiresAt } = await setUpLinks.make(id, operator);
  const url = setUpUrl?.(token) ?? token;
  return {
    text: [
      `The link to set up account ${id}, valid once until ${expiresAt.toISOString()}. Its owner chooses a password and adds an authenticator app:`,
      url,
    ],
    json: { url, expiresAt },
  };
}

/** For a link that has expired, and for somebody who has lost the second factor. */
export const setUpLink: AdminCommand = {
  usage: `${WHICH_ACCOUNT.usage} --reason R`,
  summary:
    'prints another link to set up the account of a reviewer or an operator, for an hour. The account is disabled until then: its password, its second factor and its sessions end',
  options: [...WHICH_ACCOUNT.options, 'reason'],
  prepare: (options) => {
    const which = whichAccount(options);
    const reason = readReason(options);
    return async function* (context): AsyncGenerator<Line> {
      const { directory, accountAdmin, twoFactorAdmin, setUpUrl } = context;
      const operator = { ...context.operator, reason };
      const account = await directory.find(which);
      if (setUpUrl === undefined || !STAFF_ROLES.includes(account.role)) {
        throw new UsageError('Only reviewers and operators are set up by a link, with OPERATOR_API=on.');
      }
      if (await twoFactorAdmin.has(account)) {
        await twoFactorAdmin.remove(account, reason, context.operator);
      }
      if (!account.disabledAt) {
        await accountAdmin.disable(account, operator, { forSetUp: true });
      }
      yield await makeSetUpLink(account.id, { ...context, operator });
    };
  },
};

/** @throws UsageError */
function readFields({ role, name, email, phone }: Options): Omit<NewAccount, 'password'> {
  if (role === undefined) {
    throw new UsageError(`Say which role: --role ${CREATED_ROLES.join(' or --role ')}.`);
  }
  return {
    role: readRole(role, CREATED_ROLES),
    name: readNewLine('name', name),
    email: readNewEmail('email', email),
    phone: phone === undefined ? null : readNewLine('phone', phone),
  };
}

/** The operator gives the link to the owner of the account, where nobody else can read it. */
export const resetLink: AdminCommand = {
  usage: `${WHICH_ACCOUNT.usage} [--mail]`,
  summary:
    'prints a link with which the owner chooses a new password, or a code if PASSWORD_RESET_URL is not set. It appears once, and works once, for an hour. With --mail, mails it and prints nothing of it',
  options: [...WHICH_ACCOUNT.options, 'mail'],
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, resetLinks, operator }): AsyncGenerator<Line> {
      const { id } = await directory.find(which);
      if (options.mail) {
        const email = await resetLinks.mail(id, operator);
        yield { text: `A link is mailed to ${email}.`, json: { id, email } };
        return;
      }
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

export const setEmail: AdminCommand = {
  usage: `${WHICH_ACCOUNT.usage} --to NEW`,
  summary:
    'changes the e-mail of an account, and sends a notice to both addresses if mail is set up. Access tokens stay valid',
  options: [...WHICH_ACCOUNT.options, 'to'],
  prepare: (options) => {
    const which = whichAccount(options);
    const email = readNewEmail('to', options.to);
    return async function* ({ directory, accountAdmin, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const isChanged = await accountAdmin.setEmail(account, email, operator);
      const text = isChanged
        ? `Account ${account.id} has the e-mail ${email} now.`
        : `Nothing was done: account ${account.id} has this e-mail already.`;
      yield { text, json: { id: account.id, email, isChanged } };
    };
  },
};

export const setName: AdminCommand = correcting(
  'name',
  'changes the name of an account. That of a doctor counts at once, without a reviewer',
  (text) => readNewLine('to', text),
);

/** An empty text removes it. */
export const setPhone: AdminCommand = correcting(
  'phone',
  'changes the telephone of an account; --to "" removes it, except from a doctor',
  (text) => (text === '' ? null : readNewLine('to', text)),
);

function correcting(
  field: 'name' | 'phone',
  summary: string,
  read: (text: string | undefined) => string | null,
): AdminCommand {
  return {
    usage: `${WHICH_ACCOUNT.usage} --to NEW`,
    summary,
    options: [...WHICH_ACCOUNT.options, 'to'],
    prepare: (options) => {
      const which = whichAccount(options);
      const value = read(options.to);
      return async function* ({ directory, accountAdmin, operator }): AsyncGenerator<Line> {
        const account = await directory.find(which);
        const isChanged = await accountAdmin.correct(account, { [field]: value }, operator);
        const text = isChanged
          ? `Account ${account.id} has the ${field} ${value ?? '-'} now.`
          : `Nothing was done: account ${account.id} has this ${field} already.`;
        yield { text, json: { id: account.id, [field]: value, isChanged } };
      };
    },
  };
}

/** Only a link that was mailed proves an e-mail, whoever asks for it. */
export const verifyEmail: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'mails a link by which the owner of an account proves its e-mail; it is never shown here',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, accountAdmin, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const { id, email } = account;
      const isOrdered = await accountAdmin.mailProof(account, operator);
      const text = isOrdered
        ? `A link is mailed to ${email}, if it got none in this minute.`
        : `Nothing was done: the e-mail of account ${id} is proven already.`;
      yield { text, json: { id, email, isOrdered } };
    };
  },
};

export const disableAccount: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'blocks logins to an account, and revokes its access tokens',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, accountAdmin, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const { disabledAt, revoked } = await accountAdmin.disable(account, operator);
      const text =
        account.disabledAt && revoked === 0
          ? `Nothing was done: account ${account.id} is disabled already.`
          : `Account ${account.id} is disabled; tokens revoked: ${revoked}.`;
      yield { text, json: { id: account.id, disabledAt, revoked } };
    };
  },
};

export const enableAccount: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'allows logins to a disabled account again',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, accountAdmin, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const isChanged = await accountAdmin.enable(account, operator);
      const text = isChanged
        ? `Account ${account.id} is enabled; its owner has to log in again.`
        : `Nothing was done: account ${account.id} is not disabled.`;
      yield { text, json: { id: account.id, disabledAt: null } };
    };
  },
};

export const unlockAccount: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary:
    'forgets the failed logins and wrong codes of an account, so that its owner can try again at once. The limits of networks stay',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* ({ directory, accountAdmin, operator }): AsyncGenerator<Line> {
      const account = await directory.find(which);
      const isChanged = await accountAdmin.unlock(account, operator);
      const text = isChanged
        ? `Account ${account.id} is unlocked.`
        : `Nothing was done: account ${account.id} has no failed logins.`;
      yield { text, json: { id: account.id, isChanged } };
    };
  },
};

/*
 * The rules of a registration for what an operator types. They are those of the inputs of both APIs, in words that name the
 * options.
 */

/** @throws UsageError */
export function readNewLine(option: string, text: string | undefined): string {
  const line = readLine(text ?? '');
  if (line === undefined) {
    throw new UsageError(`--${option} must be one line of 1 to ${LINE_MAX_CHARACTERS} characters.`);
  }
  return line;
}

/** @throws UsageError */
export function readNewEmail(option: string, text: string | undefined): string {
  const email = readLine(text ?? '');
  if (email === undefined || !isNewEmailAddress(email)) {
    throw new UsageError(
      `--${option} must be an e-mail address of up to ${LINE_MAX_CHARACTERS} characters, without letters of several scripts between two dots or plus signs.`,
    );
  }
  return email;
}

/**
 * Reads a new password from the standard input.
 * @param person whose password it will be
 * @throws UsageError. It never contains the password
 */
async function readPassword(
  person: Person,
  { readLine: readFirstLine, passwordMinCharacters: minCharacters, passwordCheck }: CommandContext,
): Promise<string> {
  const password = await readFirstLine();
  const characters = passwordCharacters(password);
  if (characters < minCharacters || passwordBytes(password) > PASSWORD_MAX_BYTES || !isStorable(password)) {
    throw new UsageError(
      `The password must have at least ${minCharacters} characters and at most ${PASSWORD_MAX_BYTES} bytes of UTF-8.`,
    );
  }
  if ((await passwordCheck.isCommon(password)) || passwordCheck.isPersonal(password, person)) {
    throw new UsageError(
      'Many people use this password, or it is made of the name or e-mail: choose another one.',
    );
  }
  return password;
}
