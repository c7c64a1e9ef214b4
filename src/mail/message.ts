import type MimeNode from 'nodemailer/lib/mime-node';
import { asciiDomain, splitEmail } from '../stores/email-key.ts';
import type { MessageOrder } from '../stores/messages.ts';
import { escapeHtml } from '../system/output-encoding.ts';

/** The language that a mail is written in. */
export interface MessageLanguage {
  /** The `lang` of the HTML (BCP 47). */
  lang: string;
  /** The `dir` of the HTML. */
  dir: 'ltr' | 'rtl';
}

/** The addressee and the text of a mail. */
export interface WrittenMessage {
  to: { name: string; address: string };
  language: MessageLanguage;
  subject: string;
  /** Paragraphs of plain text: what the mail is about, and what stands below a line. The HTML is made from them. */
  paragraphs: readonly string[];
  /** The one link of the mail, in the first paragraph. */
  link?: { label: string; url: string };
}

/** The text of a mail. */
export type MessageContent = Omit<WrittenMessage, 'to'>;

/** A mail whose addressee is known, but whose text is not written yet. */
export interface Draft {
  kind: MessageOrder['kind'];
  to: WrittenMessage['to'];
  /** True if the owner of the address has proven it. */
  isProven?: boolean;
  /**
   * Writes the text. What the mail carries, such as a token, is made now.
   * @throws the database's error; the message is tried again
   */
  write(): Promise<MessageContent>;
}

/**
 * Finds the addressee of a message at the moment of sending.
 * @param orderedFrom the address that ordered it, for a message that takes its place
 * @returns undefined if there is nothing to send any more: no account has the e-mail, or it was closed meanwhile
 * @throws the database's error; the message is tried again
 */
export type DraftMail = (order: MessageOrder, orderedFrom: string) => Promise<Draft | undefined>;

/** A mailbox, and the name of its owner; an empty one is not shown. */
export interface Mailbox {
  name: string;
  address: string;
}

/** What the Message-ID is made of: a second copy of a mail has the same. */
export interface MessageIdentity {
  id: string;
  /** When it was ordered. */
  createdAt: Date;
}

/** The address cannot be the one recipient of a mail. */
export class UndeliverableError extends Error {
  constructor() {
    super('the address cannot be mailed to');
    this.name = 'UndeliverableError';
  }
}

/**
 * Makes the MIME message. Addresses go to nodemailer as objects: it would read a text as a list, in which a hostile
 * name or address could add recipients.
 * @throws UndeliverableError
 */
export async function composeMail(
  message: WrittenMessage,
  { id, createdAt }: MessageIdentity,
  from: Mailbox,
): Promise<MimeNode> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { domain } = splitEmail(from.address);
  const mime = new MailComposer({
    from,
    to: oneMailbox(message.to),
    subject: oneLine(message.subject),
    text: messageText(message),
    html: messageHtml(message),
    date: createdAt,
    // A message that replaces an older one of its key has the same id, and is another mail.
    messageId: `<${id}.${createdAt.getTime().toString(36)}@${asciiDomain(domain)}>`,
    // RFC 3834 section 5: no vacation notice comes back.
    headers: { 'Auto-Submitted': 'auto-generated' },
    // A text of a mail must never be taken for the address of a file or page to be put in.
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  if (mime.getEnvelope().to.length !== 1) {
    throw new UndeliverableError();
  }
  return mime;
}

/** What RFC 5321 section 4.5.3.1 allows, twice over for addresses that are not in ASCII. */
const MAX_ADDRESS_CHARACTERS = 640;
const MAX_LINE_CHARACTERS = 255;

const INVISIBLE = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** One line of a bounded length. */
const oneLine = (text: string): string => text.slice(0, MAX_LINE_CHARACTERS).replace(INVISIBLE, ' ').trim();

/** RFC 5321 section 4.1.2: in the domain none of the marks that structure a list of addresses has a meaning. */
const DOMAIN = /^[^\s\p{Cc}"(),:;<>@[\\\]]+$/u;
/** In quotes a local part may have any visible character or blank, but nodemailer removes these. */
const LOCAL = /^[^\p{Cc}<>]+$/u;

/** @throws UndeliverableError */
function oneMailbox({ name, address }: Mailbox): Mailbox {
  const { local, domain } = splitEmail(address);
  const isShort = address.length <= MAX_ADDRESS_CHARACTERS;
  if (!(isShort && address.includes('@') && LOCAL.test(local) && DOMAIN.test(domain))) {
    throw new UndeliverableError();
  }
  return { name: oneLine(name), address };
}

/** Control characters can only hide or forge a part of a text. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

const readable = (text: string): string => text.replaceAll('\r\n', '\n').replace(CONTROL, '');

/** The link of a mail. It may only be an address of the web. */
const webLinkOf = ({ link }: MessageContent) => {
  if (link && !/^https?:\/\//i.test(link.url)) {
    throw new Error('the link of a mail must be an http or https address');
  }
  return link;
};

/** "-- " would begin a signature, which mail programs hide. */
const LINE = '-'.repeat(40);

/** The text of a mail. Its link is on a line of its own. */
export function messageText(message: MessageContent): string {
  const link = webLinkOf(message);
  const [about = '', ...others] = message.paragraphs.map(readable);
  const first = link ? `${about}\n${link.label}:\n${link.url}` : about;
  return `${[first, ...(others.length > 0 ? [LINE] : []), ...others].join('\n\n')}\n`;
}

const FONT = 'font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif';

/**
 * The same as HTML. It shows the address of its link, so that readers see where it leads. It has no pictures and loads nothing, so
 * nobody learns that it was opened.
 */
export function messageHtml(message: MessageContent): string {
  const link = webLinkOf(message);
  const { lang, dir } = message.language;
  const [about = '', ...others] = message.paragraphs.map((text) =>
    escapeHtml(readable(text)).replaceAll('\n', '<br>'),
  );
  const url = escapeHtml(link?.url ?? '');
  const first = link
    ? `${about}<br><a href="${url}">${escapeHtml(link.label)}</a><br><small>${url}</small>`
    : about;
  return [
    '<!doctype html>',
    `<html lang="${escapeHtml(lang)}" dir="${dir}">`,
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(message.subject)}</title>`,
    '</head>',
    `<body style="${escapeHtml(FONT)};margin:1.5em;max-width:38em;overflow-wrap:anywhere">`,
    `<p>${first}</p>`,
    ...(others.length > 0 ? ['<hr>'] : []),
    ...others.map((html) => `<p>${html}</p>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
