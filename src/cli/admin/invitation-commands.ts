import type { Invitation } from '../../auth/admin/invitation-admin.ts';
import { INVITED_ROLES } from '../../stores/roles.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import { readNewEmail, readNewLine } from './change-accounts.ts';
import { type AdminCommand, type CommandContext, shown } from './command.ts';
import { readRole } from './find-accounts.ts';
import { tableOf } from './paging.ts';

const TABLE = tableOf(['ID', 24], ['ROLE', 7], ['E-MAIL', 30], ['UNTIL', 24], ['NAME', 20]);

const lineOf = (invitation: Invitation): Line => {
  const { id, role, email, expiresAt, name } = invitation;
  return { text: TABLE.row(id, role, email, shown(expiresAt, 'unknown'), name), json: { ...invitation } };
};

export const listInvitations: AdminCommand = {
  usage: '',
  summary: 'lists the invitations of people who have not registered, the newest first',
  options: [],
  prepare: () =>
    async function* ({ invitationAdmin, noteReading }): AsyncGenerator<Line> {
      await noteReading('list of invitations');
      const found = await invitationAdmin.waiting();
      yield { text: found.length > 0 ? TABLE.heading : 'No invitations wait.' };
      yield* found.map(lineOf);
    },
};

const ROLES = Object.values(INVITED_ROLES);

export const invite: AdminCommand = {
  usage: `--role (${ROLES.join(' | ')}) --email E --name N`,
  summary: 'mails an invitation to register, which is valid for seven days. Nobody else sees its link',
  options: ['role', 'email', 'name'],
  prepare: ({ role = '', email, name }) => {
    const invited = {
      ...{ role: readRole(role, ROLES), email: readNewEmail('email', email) },
      name: readNewLine('name', name),
    };
    return async function* ({ invitationAdmin, operator }): AsyncGenerator<Line> {
      const made = await invitationAdmin.invite(invited, operator);
      yield { text: `An invitation is mailed to ${made.email}. Its id is ${made.id}.`, json: { ...made } };
    };
  },
};

type Change = (context: CommandContext, id: string) => Promise<Invitation>;

const changing = (summary: string, done: string, change: Change): AdminCommand => ({
  usage: '--id ID',
  summary,
  options: ['id'],
  prepare: ({ id }) => {
    if (!id) {
      throw new UsageError('Say which invitation: --id ID.');
    }
    return async function* (context): AsyncGenerator<Line> {
      const changed = await change(context, id);
      yield { text: `${done} ${changed.email}.`, json: { ...changed } };
    };
  },
});

export const renewInvitation = changing(
  'mails another link, valid for seven days from now. Earlier links are void',
  'Another link is mailed to',
  ({ invitationAdmin, operator }, id) => invitationAdmin.renew(id, operator),
);

export const withdrawInvitation = changing(
  'withdraws an invitation: its link is void',
  'Withdrawn: the invitation of',
  ({ invitationAdmin, operator }, id) => invitationAdmin.withdraw(id, operator),
);
