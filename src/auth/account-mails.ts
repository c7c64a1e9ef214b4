import type { DraftMail } from '../mail/message.ts';
import type { Outbox } from '../mail/outbox.ts';
import {
  type AccountStore,
  emailVerifiedAtOf,
  isOpenedByReset,
  passkeysOf,
  type StoredAccount,
} from '../stores/accounts.ts';
import { emailDigest } from '../stores/email-key.ts';
import type { InvitationStore } from '../stores/invitations.ts';
import type { MessageOrder } from '../stores/messages.ts';
import type { Brand } from '../system/brand.ts';
import { DAY_MILLIS } from '../system/calendar.ts';
import type { Clock } from '../system/clock.ts';
import { type EmailLinkTokens, isAskedFor } from './emails/email-link-tokens.ts';
import type { InvitationUse } from './invitation-use.ts';
import { linkUrl } from './link-tokens.ts';
import { type MailLanguage, textsIn } from './mail-texts/languages.ts';
import {
  isLink,
  isWritten,
  type MailFacts,
  type MailFrame,
  type MailReader,
  mailWriter,
} from './mail-texts/mail-writer.ts';
import { mayHaveTexts } from './owner-notices.ts';
import { mayNotReset, type PasswordResetTokens } from './passwords/password-reset-tokens.ts';

/*
 * The mails about accounts. Nobody proves at registration that an e-mail is theirs, so a mail may reach a stranger. Therefore
 * no mail contains a text that the account's owner could choose, such as the name: the gateway would send what a swindler
 * wants to say. Nor does it contain an address: the audit trail has them. Of a device it has only names of a fixed list. A mail to an e-mail that is not proven says
 * what to do for somebody who did not register.
 *
 * A mail is in the language of its reader, never in that of the request that causes it: an attacker would choose one that the
 * owner cannot read.
 */

interface AccountMailsParts {
  accounts: AccountStore;
  passwordResetTokens: PasswordResetTokens;
  emailLinkTokens: EmailLinkTokens;
  invitations: InvitationStore;
  invitationUse: InvitationUse;
  outbox: Outbox;
  clock: Clock;
  /** PASSWORD_RESET_URL: the page where a person chooses a new password. */
  passwordResetUrl: string;
  /** EMAIL_VERIFICATION_URL: the page where a person confirms an e-mail; undefined if there are no links to it. */
  emailVerificationUrl: string | undefined;
  /** The page where an invited person registers, with `{role}`; undefined if nobody is invited. */
  invitationUrl: string | undefined;
  /** MAIL_LANGUAGE: for accounts that have no language. */
  mailLanguage: MailLanguage;
  /** PEOPLE_URL: the page to log in; undefined if it is not of the gateway. */
  peopleUrl: string | undefined;
  /** The name of the service, that of MAIL_FROM; empty if it has none. */
  serviceName: string;
  /** TIME_ZONE. */
  timeZone: string;
  /** BRAND_FILE. */
  brand?: Brand | undefined;
}

/**
 * An order for a notice to the e-mail that an account has now. It is sent there even if the account has another one by then, so it
 * has the language, and whether the e-mail is proven.
 */
export function noticeTo(
  kind: MessageOrder['kind'],
  { email, language, isProven }: { email: string; language?: string | null | undefined; isProven: boolean },
  facts: MailFacts,
): MessageOrder {
  const unproven = !isProven && { unproven: 'yes' };
  return { kind, to: { email }, facts: { ...facts, ...(language && { language }), ...unproven } };
}

/** What the mails of a gateway have in common. */
export function mailFrame(
  parts: Pick<AccountMailsParts, 'passwordResetUrl' | 'peopleUrl' | 'serviceName' | 'timeZone' | 'brand'>,
): MailFrame {
  const { host, origin } = new URL(linkUrl(parts.passwordResetUrl, ''));
  const service = parts.serviceName === '' ? host : `${parts.serviceName} (${host})`;
  const { peopleUrl: loginUrl = `${origin}/`, timeZone, brand = {} } = parts;
  return { service, loginUrl, timeZone, brand };
}

/** Drafts the mails about accounts, each at the moment it is sent. */
export function accountMails(parts: AccountMailsParts): DraftMail {
  const { accounts, clock, mailLanguage, emailVerificationUrl } = parts;
  const frame = mailFrame(parts);
  const writerIn = (language?: string | null) => mailWriter(textsIn(language, mailLanguage), frame);
  return async ({ kind, to, facts = {} }, orderedFrom) => {
    if (kind === 'invitation') {
      return invitationMail(parts, facts, writerIn());
    }
    const account = await findAddressee(accounts, to);
    // A notice to the e-mail that an account had: perhaps none has it any more, so the order has the language, and whether it was proven.
    const isFormer = 'email' in to && kind !== 'password reset';
    const [address, language] = isFormer ? [to.email, facts.language] : [account?.email, account?.language];
    const wasProven = isFormer ? !facts.unproven : account !== undefined && !!emailVerifiedAtOf(account);
    const reader: MailReader = {
      access: accessOf(account, clock.now()),
      isFormer,
      passkeys: account && passkeysOf(account).ids.length,
      // Nobody has an account with a new e-mail.
      isProven: kind !== 'e-mail change' && wasProven,
      mayRead: mayHaveTexts(wasProven, emailVerificationUrl),
    };
    // Of several notices that it is disabled, only the one about the present state is true.
    const isOld = kind === 'account disabled' && facts.at !== account?.disabledAt?.toISOString();
    if (address === undefined || account?.erasingSince || isOld || !isWritten(kind, reader)) {
      return undefined;
    }
    const draft = (email: string, makeLink?: () => Promise<string>) => ({
      kind,
      to: { name: '', address: email },
      isProven: reader.isProven,
      write: async () => writerIn(language)(kind, facts, reader, await makeLink?.()),
    });
    if (!account || !isLink(kind)) {
      return draft(address);
    }
    if (kind === 'e-mail change') {
      const newEmail = await freeEmail(parts, account, facts.email, orderedFrom);
      return newEmail ? draft(newEmail, () => proofLink(parts, account, newEmail)) : undefined;
    }
    return draft(address, () => (kind === 'password reset' ? resetLink : proofLink)(parts, account));
  };
}

/** The mail to an invited person, unless the invitation has ended. It makes the token, which nobody else gets. */
async function invitationMail(
  { invitations, invitationUse, invitationUrl }: AccountMailsParts,
  { invitation = '' }: MailFacts,
  writer: ReturnType<typeof mailWriter>,
): ReturnType<DraftMail> {
  const found = await invitations.find(invitation);
  if (!found || !invitationUrl || found.end || (await invitationUse.isUsed(found))) {
    return undefined;
  }
  const { role, email } = found;
  const reader: MailReader = { access: 'former', isProven: false };
  return {
    ...{ kind: 'invitation', to: { name: '', address: email }, isProven: false },
    write: async () => {
      const token = await invitationUse.makeToken(invitation);
      return writer('invitation', { role }, reader, linkUrl(invitationUrl.replace('{role}', role), token));
    },
  };
}

/** What the owner of an account can do, if there is one. */
function accessOf(account: StoredAccount | undefined, nowMillis: number): MailReader['access'] {
  if (!account) {
    return 'former';
  }
  const mayReset = !mayNotReset(account, nowMillis);
  if (account.disabledAt) {
    return mayReset && isOpenedByReset(account) && !account.legacyAbsence ? 'closed' : 'disabled';
  }
  return mayReset ? 'open' : 'no reset';
}

function findAddressee(accounts: AccountStore, to: MessageOrder['to']): Promise<StoredAccount | undefined> {
  return 'email' in to ? accounts.findForLogin(to.email) : accounts.findWithPassword(to.accountId);
}

/**
 * The e-mail that the owner of an account has asked for. If another account has it, its owner gets a mail, one a day: whoever asks
 * for many changes must not fill the mailbox.
 * @returns undefined if the request has ended, or another account has the e-mail
 */
async function freeEmail(
  { accounts, emailLinkTokens, outbox }: AccountMailsParts,
  account: StoredAccount,
  email: string | undefined,
  orderedFrom: string,
): Promise<string | undefined> {
  if (email === undefined || !isAskedFor(account, email)) {
    return undefined;
  }
  const owner = await accounts.findByEmail(email);
  if (!owner) {
    return email;
  }
  const limit = { key: `e-mail in use ${emailDigest(email)}`, perMillis: DAY_MILLIS };
  await outbox.add({ kind: 'e-mail in use', to: { accountId: owner._id } }, { limit, orderedFrom });
  // Nobody gets its token. An export of the account lists its links, and must not say whether another account has the e-mail.
  await emailLinkTokens.make(account, email);
  return undefined;
}

/** Makes the token now: no database ever has a link that works. */
async function resetLink(
  { passwordResetTokens, passwordResetUrl }: AccountMailsParts,
  account: StoredAccount,
): Promise<string> {
  const { token } = await passwordResetTokens.make(account, 'mail');
  return linkUrl(passwordResetUrl, token);
}

/** Makes the token now, like {@link resetLink}. */
async function proofLink(
  { emailLinkTokens, emailVerificationUrl = '' }: AccountMailsParts,
  account: StoredAccount,
  newEmail?: string,
): Promise<string> {
  const { token } = await emailLinkTokens.make(account, newEmail);
  return linkUrl(emailVerificationUrl, token);
}
