import type { WaitingMessage } from '../../stores/messages.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import { type AdminCommand, shown, WHICH_ACCOUNT, whichAccount } from './command.ts';
import { PAGING, pageOf, readPaging, tableOf } from './paging.ts';

const TABLE = tableOf(['ID', 24], ['KIND', 22], ['TO', 30], ['ORDERED', 24], ['ATTEMPTS', 8], ['NEXT', 24]);

const OUTPUT = {
  heading: TABLE.heading,
  present: (mail: WaitingMessage): Line => {
    const { id, kind, orderedAt, attempts, dueAt, isBeingSent } = mail;
    const to = addresseeOf(mail);
    const next = isBeingSent ? 'being sent' : shown(dueAt, 'unknown');
    const text = TABLE.row(id, kind, to, shown(orderedAt, 'unknown'), attempts, next);
    return { text, json: { id, kind, to, orderedAt, attempts, dueAt, isBeingSent } };
  },
  placeOf: ({ id }: WaitingMessage) => id,
  ifNone: 'No mails wait.',
};

const addresseeOf = ({ to }: WaitingMessage): string => {
  if (!to) {
    return 'unknown';
  }
  return 'accountId' in to ? `account ${to.accountId}` : to.email;
};

export const listMails: AdminCommand = {
  usage: `[${WHICH_ACCOUNT.usage} | ${PAGING.usage}]`,
  summary: 'lists the queued mails, the earliest due first',
  options: [...WHICH_ACCOUNT.options, ...PAGING.options],
  prepare: (options) => {
    const { email, account, id } = options;
    const which = [email, account, id].some((name) => name !== undefined) ? whichAccount(options) : undefined;
    const paging = readPaging(options);
    return async function* ({ directory, mailAdmin, noteReading }): AsyncGenerator<Line> {
      const to = which && (await directory.find(which));
      await noteReading('list of mails', to);
      const found = await (to ? mailAdmin.waitingFor(to) : mailAdmin.waiting(paging.limit, paging.after));
      yield* pageOf(found, paging, OUTPUT);
    };
  },
};

export const retryMails: AdminCommand = {
  usage: '(--id ID | --all)',
  summary:
    'lets the gateway try a mail again at once that waits for a later attempt, or all of them. --id is the id of the mail',
  options: ['id', 'all'],
  prepare: ({ id, all = false }) => {
    if ((id !== undefined) === all) {
      throw new UsageError('Say which mails: either --id ID or --all.');
    }
    return async function* ({ mailAdmin, operator }): AsyncGenerator<Line> {
      const retried = await mailAdmin.retry(id, operator);
      yield { text: `Mails to try again: ${retried}.`, json: { retried } };
    };
  },
};
