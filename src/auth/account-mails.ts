import type { DraftMail, Message } from '../mail/message.ts';
import type { Outbox } from '../mail/outbox.ts';
import {
  type AccountStore,
  emailVerifiedAtOf,
  isOpenedByReset,
  passkeysOf,
  type StoredAccount,
} from '../stores/accounts.ts';
import { ALL_DOCUMENTS } from '../stores/doctors.ts';
import { emailDigest } from '../stores/email-key.ts';
import { type MailOrder, SECOND_FACTOR_MAILS, type SecondFactorMail } from '../stores/messages.ts';
import type { Clock } from '../system/clock.ts';
import { EMAIL_LINK_HOURS, type EmailLinks, isAskedFor } from './emails/email-links.ts';
import { linkUrl } from './link-tokens.ts';
import type { MailTexts } from './mail-texts/en.ts';
import { fill, type MailLanguage, onTime, textsIn } from './mail-texts/languages.ts';
import { mayNotReset, RESET_TOKEN_MINUTES, type ResetTokens } from './passwords/reset-tokens.ts';

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
  resetTokens: ResetTokens;
  emailLinks: EmailLinks;
  outbox: Outbox;
  clock: Clock;
  /** PASSWORD_RESET_URL: the page where a person chooses a new password. */
  resetUrlTemplate: string;
  /** EMAIL_VERIFICATION_URL: the page where a person confirms an e-mail; undefined if there are no links to it. */
  verificationUrlTemplate: string | undefined;
  /** MAIL_LANGUAGE: for accounts that have no language. */
  mailLanguage: MailLanguage;
  /** The name of the service, that of MAIL_FROM; empty if it has none. */
  serviceName: string;
}

type Text = Omit<Message, 'to'>;
type Facts = NonNullable<MailOrder['facts']>;
type Kind = MailOrder['kind'];
type LinkKind = 'password reset' | 'e-mail proof' | 'e-mail change';
/** To the e-mail that an account had when the mail was ordered. It may have another one by now. */
type FormerKind = 'e-mail change requested' | 'e-mail changed' | 'new device';

/**
 * An order for a notice to the e-mail that an account has now. It is sent there even if the account has another one by then, so it
 * has the language, and whether the e-mail is proven.
 */
export function noticeTo(
  kind: MailOrder['kind'],
  { email, language, isProven }: { email: string; language?: string | null | undefined; isProven: boolean },
  facts: NonNullable<MailOrder['facts']>,
): MailOrder {
  const unproven = !isProven && { unproven: 'yes' };
  return { kind, to: { email }, facts: { ...facts, ...(language && { language }), ...unproven } };
}

/** Drafts the mails about accounts, each at the moment it is sent. */
export function accountMails(parts: AccountMailsParts): DraftMail {
  const { host, origin } = new URL(linkUrl(parts.resetUrlTemplate, ''));
  const service = parts.serviceName === '' ? host : `${parts.serviceName} (${host})`;
  const textsOf = (language: string | null | undefined) =>
    mailsIn(textsIn(language, parts.mailLanguage), service, `${origin}/`);
  return async ({ kind, to, facts = {} }, orderedFrom) => {
    const draft = (address: string, isProven: boolean, write: () => Text | Promise<Text>) => ({
      kind,
      to: { name: '', address },
      isProven,
      write: async () => write(),
    });
    if (isToFormer(kind) && 'email' in to) {
      // Perhaps no account has it any more, so the order has the language, and whether it was proven.
      const isProven = facts.unproven === undefined;
      const { toFormer, withLogin } = textsOf(facts.language);
      return draft(to.email, isProven, () => withLogin(toFormer[kind](facts, isProven), kind));
    }
    const account = await findAddressee(parts.accounts, to);
    if (!account) {
      return undefined;
    }
    const isProven = emailVerifiedAtOf(account) !== null;
    const { links, notices, withAdvice, withLogin, resetHere } = textsOf(account.language);
    // A disabled account gets no link, and no mail that says so, as a login does not say it either.
    const isOpened = kind === 'password reset' && isOpenedByReset(account);
    if (account.disabledAt && !isOpened && (isLink(kind) || kind === 'e-mail in use')) {
      return undefined;
    }
    if (kind === 'password reset' && mayNotReset(account, parts.clock.now())) {
      return undefined;
    }
    if (!isLink(kind)) {
      const shown = isProven || parts.verificationUrlTemplate === undefined ? facts : withoutReason(facts);
      const passkeys = String(passkeysOf(account).ids.length);
      return draft(account.email, isProven, () =>
        withLogin(withAdvice(notices[kind]({ ...shown, passkeys }), isProven), kind),
      );
    }
    if (kind === 'e-mail change') {
      const newEmail = await freeEmail(parts, account, facts.email, orderedFrom);
      // Nobody has an account with this e-mail, and the mail says so itself.
      return newEmail === undefined
        ? undefined
        : draft(newEmail, false, async () => links[kind](await proofLink(parts, account, newEmail)));
    }
    const isReset = kind === 'password reset';
    const makeLink = isReset ? resetLink : proofLink;
    return kind === 'e-mail proof' && isProven
      ? undefined
      : draft(account.email, isProven, async () => {
          const text = links[kind](await makeLink(parts, account));
          return withAdvice(text, isProven, isReset ? resetHere : undefined);
        });
  };
}

const isLink = (kind: Kind): kind is LinkKind =>
  kind === 'password reset' || kind === 'e-mail proof' || kind === 'e-mail change';

const isToFormer = (kind: Kind): kind is FormerKind =>
  kind === 'e-mail change requested' || kind === 'e-mail changed' || kind === 'new device';

function findAddressee(accounts: AccountStore, to: MailOrder['to']): Promise<StoredAccount | undefined> {
  return 'email' in to ? accounts.findForLogin(to.email) : accounts.findWithPassword(to.accountId);
}

const DAY_MILLIS = 86_400_000;

/**
 * The e-mail that the owner of an account has asked for. If another account has it, its owner gets a mail, one a day: whoever asks
 * for many changes must not fill the mailbox.
 * @returns undefined if the request has ended, or another account has the e-mail
 */
async function freeEmail(
  { accounts, emailLinks, outbox }: AccountMailsParts,
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
  await emailLinks.make(account, email);
  return undefined;
}

/** A reason is a text that a person chose. */
const withoutReason = ({ reason: _, ...facts }: Facts): Facts => facts;

/** Makes the token now: no database ever has a link that works. */
async function resetLink(
  { resetTokens, resetUrlTemplate }: AccountMailsParts,
  account: StoredAccount,
): Promise<string> {
  const { token } = await resetTokens.make(account, 'mail');
  return linkUrl(resetUrlTemplate, token);
}

/** Makes the token now, like {@link resetLink}. */
async function proofLink(
  { emailLinks, verificationUrlTemplate = '' }: AccountMailsParts,
  account: StoredAccount,
  newEmail?: string,
): Promise<string> {
  const { token } = await emailLinks.make(account, newEmail);
  return linkUrl(verificationUrlTemplate, token);
}

/**
 * The mails in one language, each by what is known about it.
 * @param host the service as its mails call it
 * @param loginUrl where its reader logs in
 */
function mailsIn(texts: MailTexts, host: string, loginUrl: string) {
  const { lang, dir, greeting } = texts;
  const paragraph = (text: string, values: Facts = {}) => fill(text, { host, ...values }).trimEnd();
  const mail = (subject: string, paragraphs: readonly string[], values: Facts = {}): Text => ({
    language: { lang, dir },
    subject,
    paragraphs: [greeting, ...paragraphs].map((text) => paragraph(text, values)),
  });
  const on = (time: string | undefined) => onTime(texts, time);
  const withLink = (kind: LinkKind, url: string, values: Facts): Text => {
    const { subject, asked, unexpected, link } = texts[kind];
    return { ...mail(subject, [asked, unexpected], values), link: { label: link, url } };
  };
  const hours = String(EMAIL_LINK_HOURS);
  const links = {
    'password reset': (url) => withLink('password reset', url, { minutes: String(RESET_TOKEN_MINUTES) }),
    'e-mail proof': (url) => withLink('e-mail proof', url, { hours }),
    'e-mail change': (url) => withLink('e-mail change', url, { hours }),
  } satisfies Record<LinkKind, (url: string) => Text>;
  const secondFactorNotices = Object.fromEntries(
    SECOND_FACTOR_MAILS.map((kind) => {
      const { subject, told, unexpected } = texts[kind];
      return [kind, ({ at, left = '' }) => mail(subject, [told, unexpected], { on: on(at), left })];
    }),
  ) as Record<SecondFactorMail, (facts: Facts) => Text>;
  const notices = {
    'password changed': ({ at, passkeys = '0' }) => {
      const { subject, changed, passkeys: kept, unexpected } = texts['password changed'];
      const paragraphs = [changed, ...(passkeys === '0' ? [] : [kept]), unexpected];
      return mail(subject, paragraphs, { on: on(at), passkeys });
    },
    'e-mail change requested': ({ at }) => {
      const { subject, requested, unexpected } = texts['e-mail change requested'];
      return mail(subject, [requested, unexpected], { on: on(at) });
    },
    'e-mail changed': ({ at }) => {
      const { subject, present, unexpected } = texts['e-mail changed'];
      return mail(subject, [present, unexpected], { on: on(at) });
    },
    'e-mail in use': () => {
      const { subject, wanted, unexpected } = texts['e-mail in use'];
      return mail(subject, [wanted, unexpected]);
    },
    'new device': ({ browser, system, at }) => {
      const { subject, loggedIn, named, unknown, unexpected } = texts['new device'];
      const device = browser && system ? fill(named, { browser, system }) : (browser ?? system ?? unknown);
      return mail(subject, [loggedIn, unexpected], { on: on(at), device });
    },
    ...secondFactorNotices,
    'doctor decided': ({ status = '', reason, documents = '', at }) => {
      const { decisions, wrote, again, documents: names, state, ...about } = texts['doctor decided'];
      const [subject, reviewed] = status.startsWith('correction ')
        ? [about.subjectOfCorrection, about.corrected]
        : [about.subject, about.reviewed];
      const decision = Object.entries(decisions).find(([name]) => name === status.toLowerCase())?.[1] ?? '';
      const asked = ALL_DOCUMENTS.filter((document) => documents.split(' ').includes(document));
      const paragraphs = [reviewed, ...(reason ? [wrote] : []), ...(asked.length > 0 ? [again] : []), state];
      const list = asked.map((document) => names[document]).join(', ');
      return mail(subject, paragraphs, { on: on(at), decision, reason: reason ?? '', documents: list });
    },
    'account closed': ({ at, erasedAt }) => {
      const { subject, closed, erased, erasedOn, unexpected } = texts['account closed'];
      const end = erasedAt ? fill(erasedOn, { on: on(erasedAt) }) : erased;
      return mail(subject, [closed, end, unexpected], { on: on(at) });
    },
  } satisfies Record<Exclude<Kind, LinkKind>, (facts: Facts) => Text>;
  const { stranger, reset, resetHere, former } = texts.unproven;
  /** Adds what to do for somebody who did not register. */
  const withAdvice = (text: Text, isProven: boolean, end = reset): Text =>
    isProven ? text : { ...text, paragraphs: [...text.paragraphs, paragraph(`${stranger} ${end}`)] };
  const toFormer = {
    'e-mail change requested': (facts, isProven) =>
      withAdvice(notices['e-mail change requested'](facts), isProven),
    'e-mail changed': ({ at }, isProven) => {
      const { subject, former: changed, unexpected } = texts['e-mail changed'];
      return withAdvice(mail(subject, [changed, unexpected], { on: on(at) }), isProven, former);
    },
    // Only a proven e-mail gets it.
    'new device': notices['new device'],
  } satisfies Record<FormerKind, (facts: Facts, isProven: boolean) => Text>;
  /** A link to the application, in mails that have no other. Nobody can log in to an account that is closed. */
  const withLogin = (text: Text, kind: Kind): Text =>
    kind === 'account closed' ? text : { ...text, link: { label: texts.login, url: loginUrl } };
  return { links, notices, toFormer, withAdvice, withLogin, resetHere };
}
