import type { MessageContent } from '../../mail/message.ts';
import { ALL_DOCUMENTS, ALL_GROUNDS } from '../../stores/doctors.ts';
import { INVITATION_DAYS } from '../../stores/invitations.ts';
import type { MessageKind, MessageOrder } from '../../stores/messages.ts';
import type { Brand } from '../../system/brand.ts';
import { EMAIL_LINK_HOURS } from '../emails/email-link-tokens.ts';
import { RESET_TOKEN_MINUTES } from '../passwords/password-reset-tokens.ts';
import type { MailTexts } from './en.ts';
import { fill, lastDay, onTime } from './languages.ts';

export type MailFacts = NonNullable<MessageOrder['facts']>;

/**
 * What the reader of a mail can do when it is written: everything (`open`); everything but get a link to a new password, because an
 * operator has just corrected the e-mail (`no reset`); only get that link, which opens the account again (`closed`); nothing
 * (`disabled`), also because no account has the e-mail any more (`former`).
 */
export const ACCESSES = ['open', 'no reset', 'closed', 'disabled', 'former'] as const;

export interface MailReader {
  access: (typeof ACCESSES)[number];
  /** True if the owner of the address has proven it. */
  isProven: boolean;
  /** True if the mail goes to the e-mail that the account had when it was ordered. */
  isFormer?: boolean;
  /** How many passkeys the account has. */
  passkeys?: number | undefined;
  /** True if the mail may have a text that a person chose. */
  mayRead?: boolean;
}

/** What all mails of a gateway have in common. */
export interface MailFrame {
  /** The service as its mails call it. */
  service: string;
  /** Where people log in. */
  loginUrl: string;
  /** TIME_ZONE, a name of the IANA. */
  timeZone: string;
  /** What the clinic says about itself, in each mail. */
  brand: Pick<Brand, (typeof PARTS_OF_BRAND)[number]>;
}

export const isLink = (kind: MessageKind): boolean =>
  ['password reset', 'e-mail proof', 'e-mail change', 'invitation'].includes(kind);

const canLogIn = ({ access }: MailReader): boolean => access === 'open' || access === 'no reset';

/**
 * False if there is nothing to say, or its text would be untrue. A disabled account gets no link, and no mail about who asks for its
 * e-mail.
 */
export function isWritten(kind: MessageKind, reader: MailReader): boolean {
  const { access, isProven, isFormer } = reader;
  if (kind === 'invitation') {
    return access === 'former' && !isProven;
  }
  const isInactive = access === 'closed' || access === 'disabled';
  // A reset opens only what was never proven. A former e-mail may belong to nobody.
  const isPossible = isFormer || !(access === 'former' || (access === 'closed' && isProven));
  const byKind: { [kind in MessageKind]?: boolean } = {
    'account closed': isInactive,
    'account disabled': access === 'disabled',
    'account enabled': !isInactive,
    'password reset': access === 'open' || access === 'closed',
    'e-mail proof': !(isProven || isInactive),
    'e-mail change': !(isProven || isInactive),
    'e-mail in use': !isInactive,
    'new device': isProven,
    'verification ends': !isInactive,
  };
  return isPossible && (byKind[kind] ?? true);
}

/** What a kind of mail may say. */
interface KindTexts {
  subject: string;
  told: string;
  /** In place of `told`. */
  byOperator?: string;
  /** If the reader can log in. */
  more?: string;
  /** If it was not the reader; in place of the common advice. */
  unexpected?: string;
  link?: string;
}

type Sentence = string | false | undefined;

/** The sentences of one mail, not filled in yet. */
interface Content {
  subject?: string;
  /** What it is about. */
  about: readonly Sentence[];
  /** Paragraphs below the line. */
  below: readonly Sentence[];
  values?: MailFacts;
}

const PARTS_OF_BRAND = ['contact', 'imprint', 'privacy'] as const;

/** Writes the mails in one language, each by what is known about it and about its reader. */
export function mailWriter(texts: MailTexts, { service, loginUrl, timeZone, brand }: MailFrame) {
  const on = (time: string | undefined) => onTime(texts, time, timeZone);
  /** What most kinds say. */
  const usual = (kind: MessageKind, { by }: MailFacts, reader: MailReader): Content => {
    const { told, byOperator, more, unexpected }: KindTexts = texts[kind];
    const ofOwner =
      reader.access === 'open' ? (unexpected ?? texts.unexpected.reset) : texts.unexpected.operator;
    const [about, advice] = by && byOperator ? [byOperator, texts.unexpected.byOperator] : [told, ofOwner];
    return { about: [about], below: [canLogIn(reader) && more, advice] };
  };
  /** The kinds that say more, less or something else. */
  const special: {
    [kind in MessageKind]?: (facts: MailFacts, reader: MailReader, usual: Content) => Partial<Content>;
  } = {
    'password reset': ({ by }, { access }) => {
      const { opens, unexpected } = texts['password reset'];
      return { below: [access === 'closed' && opens, by ? texts.unexpected.byOperator : unexpected] };
    },
    'e-mail proof': () => ({ below: [] }),
    'e-mail change': () => ({ below: [] }),
    invitation: ({ role }) => {
      const { doctor, patient } = texts.invitation.roles;
      return { below: [], values: { role: role === 'doctor' ? doctor : patient } };
    },
    'e-mail in use': (_, { access }, { below: [login] }) => ({
      below: [login, access === 'open' && texts['e-mail in use'].forgotten],
    }),
    'password changed': (_, { passkeys = 0 }, { below: [kept, advice] }) => ({
      below: [passkeys > 0 && kept, advice],
      values: { passkeys: String(passkeys) },
    }),
    'e-mail changed': ({ by }, { access, isFormer }, { about, below: [more] }) => {
      const { byOperator, operator } = texts.unexpected;
      const { present, former } = texts['e-mail changed'];
      return isFormer
        ? { about: [...about, access === 'former' && former], below: [by ? byOperator : operator] }
        : { about: [present, more], below: [byOperator] };
    },
    'new device': ({ browser, system }) => {
      const { named, unknown } = texts['new device'];
      const device = browser && system ? fill(named, { browser, system }) : (browser ?? system ?? unknown);
      return { values: { device } };
    },
    'second factor removed': (_, { passkeys = 0 }, { about, below: [alone, advice] }) => ({
      about: [...about, passkeys === 0 && alone],
      below: [advice],
    }),
    'second factor reset': (_, { access }) => ({
      below: [access === 'open' && texts['second factor reset'].more, texts.unexpected.byOperator],
    }),
    'doctor decided': ({ status = '', reason, documents = '', grounds = '', until }, reader) => {
      const {
        decisions,
        wrote,
        withheld,
        again,
        documents: names,
        until: valid,
        ...about
      } = texts['doctor decided'];
      const why = ALL_GROUNDS.filter((ground) => grounds.split(' ').includes(ground));
      const [subject, reviewed] = status.startsWith('correction ')
        ? [about.subjectOfCorrection, about.corrected]
        : [about.subject, about.told];
      const decision = Object.entries(decisions).find(([name]) => name === status.toLowerCase())?.[1];
      const asked = ALL_DOCUMENTS.filter((document) => documents.split(' ').includes(document));
      const note = reason !== undefined && (reader.mayRead ? wrote : canLogIn(reader) && withheld);
      const values = {
        documents: asked.map((document) => names[document]).join(', '),
        grounds: why.map((ground) => about.grounds[ground]).join(', '),
        until: lastDay(texts, until, timeZone),
      };
      return {
        subject,
        about: [reviewed, decision, until && valid],
        below: [why.length > 0 && about.because, note, asked.length > 0 && again],
        values,
      };
    },
    'verification ends': ({ until }, _, { below: [more] }) => ({
      below: [more],
      values: { until: lastDay(texts, until, timeZone) },
    }),
    'account closed': ({ erasedAt }, _, { about }) => {
      const { erased, erasedOn } = texts['account closed'];
      return { about: [...about, erasedAt ? fill(erasedOn, { on: on(erasedAt) }) : erased] };
    },
    'account disabled': () => ({ below: [texts.unexpected.questions] }),
    'account enabled': () => ({ below: [texts.unexpected.questions] }),
  };
  const lines = PARTS_OF_BRAND.flatMap((part) => (brand[part] ? `${texts.brand[part]}: ${brand[part]}` : []));
  const signature = lines.length > 0 ? [lines.join('\n')] : [];
  /** What somebody does who did not register: one sentence, in each mail to an e-mail that is not proven. */
  const strangerIn = (kind: MessageKind, access: MailReader['access']): string => {
    const { reset, link, operator, inactive, former, asked } = texts.stranger;
    const byAccess = { open: reset, 'no reset': operator, closed: inactive, disabled: inactive, former };
    const invited = texts.invitation.stranger;
    const ofLink = { 'password reset': link, 'e-mail change': asked, invitation: invited }[kind as string];
    return ofLink ?? byAccess[access];
  };

  /** @param url the link of a mail that exists for it */
  return (kind: MessageKind, facts: MailFacts, reader: MailReader, url?: string): MessageContent => {
    const text: KindTexts = texts[kind];
    const said = usual(kind, facts, reader);
    const content: Content = { ...said, ...special[kind]?.(facts, reader, said) };
    const stranger = !reader.isProven && strangerIn(kind, reader.access);
    const paragraphs = [content.about.filter(Boolean).join(' '), ...content.below, stranger];
    const values = {
      ...{ ...facts, host: service, on: on(facts.at), hours: String(EMAIL_LINK_HOURS) },
      ...{ minutes: String(RESET_TOKEN_MINUTES), days: String(INVITATION_DAYS), ...content.values },
    };
    const hasLogin = canLogIn(reader) && !kind.startsWith('account ');
    const login = hasLogin && { label: texts.login, url: loginUrl };
    const link = url === undefined ? login : { label: text.link ?? texts['e-mail proof'].link, url };
    return {
      language: { lang: texts.lang, dir: texts.dir },
      subject: content.subject ?? text.subject,
      paragraphs: [
        ...paragraphs.flatMap((sentence) => (sentence ? [fill(sentence, values)] : [])),
        ...signature,
      ],
      ...(link && { link }),
    };
  };
}
