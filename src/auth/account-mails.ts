import type { DraftMail, Message } from '../mail/message.ts';
import type { AccountStore, StoredAccount } from '../stores/accounts.ts';
import type { MailOrder } from '../stores/messages.ts';
import { RESET_TOKEN_MINUTES, type ResetTokens, resetUrl } from './passwords/reset-tokens.ts';

/*
 * The mails about accounts. Nobody proves at registration that an e-mail is theirs, so a mail may reach a stranger. Therefore
 * no mail contains a text that the account's owner could choose, such as the name: the gateway would send what a swindler
 * wants to say. Nor does it contain an address or a device: the audit trail has them.
 */

interface AccountMailsParts {
  accounts: AccountStore;
  resetTokens: ResetTokens;
  /** PASSWORD_RESET_URL: the page where a person chooses a new password. */
  resetUrlTemplate: string;
}

type Text = Omit<Message, 'to'>;
type Facts = NonNullable<MailOrder['facts']>;

/** Drafts the mails about accounts, each at the moment it is sent. */
export function accountMails(parts: AccountMailsParts): DraftMail {
  return async ({ kind, to, facts = {} }) => {
    const draft = (address: string, write: () => Text | Promise<Text>) => ({
      kind,
      to: { name: '', address },
      write: async () => write(),
    });
    const texts = textsAt(new URL(resetUrl(parts.resetUrlTemplate, '')).host);
    if (kind === 'e-mail changed' && 'email' in to) {
      // The former address. No account has it any more.
      return draft(to.email, () => texts[kind](facts));
    }
    const account = await findAddressee(parts.accounts, to);
    if (!account) {
      return undefined;
    }
    if (kind !== 'password reset') {
      return draft(account.email, () => texts[kind](facts));
    }
    // A disabled account gets no reset link, and no mail that says so, as a login does not say it either.
    return account.disabledAt ? undefined : draft(account.email, () => resetText(parts, account));
  };
}

function findAddressee(accounts: AccountStore, to: MailOrder['to']): Promise<StoredAccount | undefined> {
  return 'email' in to ? accounts.findForLogin(to.email) : accounts.findWithPassword(to.accountId);
}

const textsAt = (host: string) =>
  ({
    'password changed': ({ at }: Facts) => ({
      subject: 'Your password was changed',
      paragraphs: [
        'Hello,',
        `the password of your account at ${host} was changed${on(at)}.`,
        `If it was you, you need not do anything. If it was not you, ask for a new password on the login page, and ${ASK}: somebody else may have used your account.`,
      ],
    }),
    'e-mail changed': ({ at }: Facts) => ({
      subject: 'Your e-mail address was changed',
      paragraphs: [
        'Hello,',
        `your account at ${host} has another e-mail address now. It was changed${on(at)}. You can no longer log in with this one.`,
        `If you have not asked for that, ${ASK}.`,
      ],
    }),
    'doctor decided': ({ status = '', reason, at }: Facts) => ({
      subject: 'Your registration as a doctor was reviewed',
      paragraphs: [
        'Hello,',
        `the documents of your account at ${host} were reviewed${on(at)}. ${DECISIONS[status.toLowerCase()] ?? ''}`.trimEnd(),
        ...(reason ? [`The reviewer wrote: ${reason}`] : []),
        'Log in to see the state of your account.',
      ],
    }),
    'account closed': ({ at, erasedAt }: Facts) => ({
      subject: 'Your account was closed',
      paragraphs: [
        'Hello,',
        `your account at ${host} was closed${on(at)}. Nobody can log in to it any more.`,
        erasedAt
          ? `All its data will be erased${on(erasedAt)}. Until then the operator of the service can open it again.`
          : 'All its data will be erased.',
        `If it was not you who closed it, ${ASK}.`,
      ],
    }),
  }) satisfies Record<Exclude<MailOrder['kind'], 'password reset'>, (facts: Facts) => Text>;

const DECISIONS: Readonly<Record<string, string>> = {
  verified: 'They were accepted: you are verified.',
  rejected: 'They were not accepted. You can send new documents.',
  suspended: 'Your verification is suspended.',
};

/** Who to turn to. The mail cannot know the address of the operator. */
const ASK = 'ask the operator of the service for help at once';

/** A time in UTC for people; nothing if it is unknown. */
function on(time: string | undefined): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  const [day, clock] = [date.getUTCDate(), date.toISOString().slice(11, 16)];
  const month = date.toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  return ` on ${day} ${month} ${date.getUTCFullYear()} at ${clock} UTC`;
}

/** Makes the token now: no database ever has a link that works. */
async function resetText(
  { resetTokens, resetUrlTemplate }: AccountMailsParts,
  account: StoredAccount,
): Promise<Text> {
  const { token } = await resetTokens.make(account);
  const url = resetUrl(resetUrlTemplate, token);
  const { host } = new URL(url);
  return {
    subject: 'Choose a new password',
    paragraphs: [
      'Hello,',
      `somebody has asked for a new password for your account at ${host}. If it was you, open this link and choose one. The link works once, for ${RESET_TOKEN_MINUTES} minutes.`,
      'If it was not you, you need not do anything. Your password stays as it is.',
    ],
    link: { label: 'Choose a new password', url },
  };
}
