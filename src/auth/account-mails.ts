import type { DraftMail, Message } from '../mail/message.ts';
import type { AccountStore, StoredAccount } from '../stores/accounts.ts';
import type { MailOrder } from '../stores/messages.ts';
import type { MailTexts } from './mail-texts/en.ts';
import { fill, type MailLanguage, onTime, textsIn } from './mail-texts/languages.ts';
import { RESET_TOKEN_MINUTES, type ResetTokens, resetUrl } from './passwords/reset-tokens.ts';

/*
 * The mails about accounts. Nobody proves at registration that an e-mail is theirs, so a mail may reach a stranger. Therefore
 * no mail contains a text that the account's owner could choose, such as the name: the gateway would send what a swindler
 * wants to say. Nor does it contain an address or a device: the audit trail has them.
 *
 * A mail is in the language of its reader, never in that of the request that causes it: an attacker would choose one that the
 * owner cannot read.
 */

interface AccountMailsParts {
  accounts: AccountStore;
  resetTokens: ResetTokens;
  /** PASSWORD_RESET_URL: the page where a person chooses a new password. */
  resetUrlTemplate: string;
  /** MAIL_LANGUAGE: for accounts that have no language. */
  mailLanguage: MailLanguage;
}

type Text = Omit<Message, 'to'>;
type Facts = NonNullable<MailOrder['facts']>;

/** Drafts the mails about accounts, each at the moment it is sent. */
export function accountMails(parts: AccountMailsParts): DraftMail {
  const { host } = new URL(resetUrl(parts.resetUrlTemplate, ''));
  return async ({ kind, to, facts = {} }) => {
    const draft = (address: string, write: () => Text | Promise<Text>) => ({
      kind,
      to: { name: '', address },
      write: async () => write(),
    });
    const textsOf = (language: string | null | undefined) =>
      mailsIn(textsIn(language, parts.mailLanguage), host);
    if (kind === 'e-mail changed' && 'email' in to) {
      // The former address. No account has it any more, so the order has the language.
      return draft(to.email, () => textsOf(facts.language).formerEmail(facts));
    }
    const account = await findAddressee(parts.accounts, to);
    if (!account) {
      return undefined;
    }
    const texts = textsOf(account.language);
    if (kind !== 'password reset') {
      return draft(account.email, () => texts[kind](facts));
    }
    // A disabled account gets no reset link, and no mail that says so, as a login does not say it either.
    return account.disabledAt
      ? undefined
      : draft(account.email, async () => texts[kind](await resetLink(parts, account)));
  };
}

function findAddressee(accounts: AccountStore, to: MailOrder['to']): Promise<StoredAccount | undefined> {
  return 'email' in to ? accounts.findForLogin(to.email) : accounts.findWithPassword(to.accountId);
}

/** Makes the token now: no database ever has a link that works. */
async function resetLink(
  { resetTokens, resetUrlTemplate }: AccountMailsParts,
  account: StoredAccount,
): Promise<string> {
  const { token } = await resetTokens.make(account);
  return resetUrl(resetUrlTemplate, token);
}

/** The mails in one language, each by what is known about it. */
function mailsIn(texts: MailTexts, host: string) {
  const { lang, dir, greeting } = texts;
  const mail = (subject: string, paragraphs: readonly string[], values: Facts = {}): Text => ({
    language: { lang, dir },
    subject,
    paragraphs: [greeting, ...paragraphs].map((text) => fill(text, { host, ...values }).trimEnd()),
  });
  const on = (time: string | undefined) => onTime(texts, time);
  return {
    'password reset': (url: string) => {
      const { subject, asked, unexpected, link } = texts['password reset'];
      const minutes = String(RESET_TOKEN_MINUTES);
      return { ...mail(subject, [asked, unexpected], { minutes }), link: { label: link, url } };
    },
    'password changed': ({ at }: Facts) => {
      const { subject, changed, unexpected } = texts['password changed'];
      return mail(subject, [changed, unexpected], { on: on(at) });
    },
    'e-mail changed': ({ at }: Facts) => {
      const { subject, present, unexpected } = texts['e-mail changed'];
      return mail(subject, [present, unexpected], { on: on(at) });
    },
    formerEmail: ({ at }: Facts) => {
      const { subject, former, unexpected } = texts['e-mail changed'];
      return mail(subject, [former, unexpected], { on: on(at) });
    },
    'doctor decided': ({ status = '', reason, at }: Facts) => {
      const { decisions, wrote, state, ...about } = texts['doctor decided'];
      const [subject, reviewed] = status.startsWith('correction ')
        ? [about.subjectOfCorrection, about.corrected]
        : [about.subject, about.reviewed];
      const decision = Object.entries(decisions).find(([name]) => name === status.toLowerCase())?.[1] ?? '';
      const paragraphs = [reviewed, ...(reason ? [wrote] : []), state];
      return mail(subject, paragraphs, { on: on(at), decision, reason: reason ?? '' });
    },
    'account closed': ({ at, erasedAt }: Facts) => {
      const { subject, closed, erased, erasedOn, unexpected } = texts['account closed'];
      const end = erasedAt ? fill(erasedOn, { on: on(erasedAt) }) : erased;
      return mail(subject, [closed, end, unexpected], { on: on(at) });
    },
  } satisfies Record<MailOrder['kind'] | 'formerEmail', (facts: never) => Text>;
}
