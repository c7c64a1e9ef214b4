import type MimeNode from 'nodemailer/lib/mime-node';
import { asciiDomain, splitEmail } from '../stores/email-key.ts';
import type { Letter } from './letter.ts';
import { letterHtml, letterText } from './letter-html.ts';

/** A mailbox, and the name of its owner; an empty one is not shown. */
export interface Mailbox {
  name: string;
  address: string;
}

/** What makes a mail recognisable: a second copy of it has the same. */
export interface Postmark {
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
 * Makes the message of a letter. Addresses go to nodemailer as objects: it would read a text as a list, in which a hostile
 * name or address could add recipients.
 * @throws UndeliverableError
 */
export async function composeMail(
  letter: Letter,
  { id, createdAt }: Postmark,
  from: Mailbox,
): Promise<MimeNode> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { domain } = splitEmail(from.address);
  const message = new MailComposer({
    from,
    to: oneMailbox(letter.to),
    subject: oneLine(letter.subject),
    text: letterText(letter),
    html: letterHtml(letter),
    date: createdAt,
    // An order that replaces an older one of its key has the same id, and is another mail.
    messageId: `<${id}.${createdAt.getTime().toString(36)}@${asciiDomain(domain)}>`,
    // RFC 3834 section 5: no vacation notice comes back.
    headers: { 'Auto-Submitted': 'auto-generated' },
    // A text of a mail must never be taken for the address of a file or page to be put in.
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  if (message.getEnvelope().to.length !== 1) {
    throw new UndeliverableError();
  }
  return message;
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
