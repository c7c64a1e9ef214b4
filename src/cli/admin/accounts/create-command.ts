import { CREATED_ROLES, type NewAccount } from '../../../auth/admin/account-admin.ts';
import type { Person } from '../../../auth/passwords/password-rules.ts';
import type { Line } from '../../print.ts';
import { UsageError } from '../../usage-error.ts';
import type { Command, CommandContext, Options } from '../command.ts';
import { describeLink, presentLink } from '../reset-link-command.ts';
import { readRole } from './find-commands.ts';
import { checkNewPassword, readNewEmail, readNewLine } from './new-account.ts';

export const createAccount: Command = {
  usage: `--role ${CREATED_ROLES.join('|')} --name N --email E [--phone P] [--password-stdin]`,
  summary:
    'creates an account, only here also of a reviewer, and prints a link for its owner to choose a password; with --password-stdin the password is the first line of the standard input',
  options: ['role', 'name', 'email', 'phone', 'password-stdin'],
  prepare: (options) => {
    const fields = readFields(options);
    return async function* (context): AsyncGenerator<Line> {
      const password = options['password-stdin'] ? await readPassword(context, fields) : undefined;
      const account = await context.accounts.create({ ...fields, password }, context.operator);
      const { id, name, email, phone, role, createdAt } = account;
      const link = password === undefined ? await context.resetLinks.make(id, context.operator) : undefined;
      const text = [
        `Account ${id} of the ${role} ${email} was created.`,
        ...(link ? describeLink(id, link) : []),
      ];
      yield { text, json: { id, name, email, phone, role, createdAt, ...(link && presentLink(link)) } };
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

/** @throws UsageError if it breaks a rule */
const readPassword = async (context: CommandContext, person: Person): Promise<string> =>
  checkNewPassword(await context.readLine(), person, context);
