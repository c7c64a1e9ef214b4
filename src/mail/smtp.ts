import type { SendMailOptions } from 'nodemailer';
import { asciiDomain, splitEmail } from '../models/email-key.ts';
import type { Letter } from './letter.ts';
import { letterHtml, letterText } from './letter-html.ts';

/** How a connection to the mail server is protected: from its start, by STARTTLS and not without, or not at all. */
export type SmtpSecurity = 'tls' | 'starttls' | 'none';

/** The mail server (SMTP_URL). */
export interface SmtpSettings {
  host: string;
  port: number;
  security: SmtpSecurity;
  credentials: { user: string; pass: string } | undefined;
}

/** A mailbox, and the name of its owner; an empty one is not shown. */
export interface Mailbox {
  name: string;
  address: string;
}

/** All that sending needs to know. */
export interface MailSettings {
  smtp: SmtpSettings;
  /** MAIL_FROM. */
  from: Mailbox;
}

/** What makes a mail recognisable: a second copy of it has the same. */
interface Postmark {
  id: string;
  /** When it was ordered. */
  createdAt: Date;
}

/** Sends mails. */
export interface MailTransport {
  /**
   * @param signal ends the attempt
   * @throws UndeliverableError, and the errors of nodemailer (smtp-failure.ts)
   */
  send(letter: Letter, postmark: Postmark, signal: AbortSignal): Promise<void>;
  /** Closes idle connections at once, and those in use after their mail. */
  close(): void;
}

/** A transport whose mail server can be replaced. */
export interface ReplaceableTransport extends MailTransport {
  /** Sends the next mails by these settings. A mail that is being sent is not interrupted. */
  replace(settings: MailSettings): void;
}

/** The address cannot be the one recipient of a mail. */
export class UndeliverableError extends Error {
  constructor() {
    super('the address cannot be mailed to');
    this.name = 'UndeliverableError';
  }
}

/** Limits in real time, because a server at the other end keeps them: connecting with TLS, the greeting, silence. */
const LIMITS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  socketCloseTimeout: 1_000,
  idleTimeout: 30_000,
};

/** Opens a transport. It loads its library at once, in the background, and connects with the first mail. */
export function openSmtp(settings: MailSettings): ReplaceableTransport {
  let current = settings;
  let next: MailSettings | undefined;
  const open = () => {
    const pool = openPool(current.smtp);
    pool.catch(() => {
      opening = undefined;
    });
    return pool;
  };
  let opening: ReturnType<typeof openPool> | undefined = open();
  const close = () =>
    void opening?.then(
      (pool) => pool.close(),
      () => {},
    );
  return {
    send: async (letter, postmark, signal) => {
      // Not at once: a pool that is closed while it begins to send neither sends nor fails.
      if (next) {
        close();
        [current, next, opening] = [next, undefined, undefined];
      }
      const message = messageOf(letter, postmark, current.from);
      opening ??= open();
      await (await opening).sendMail({ ...message, signal });
    },
    replace: (replacement) => {
      next = replacement;
    },
    close,
  };
}

async function openPool(smtp: SmtpSettings) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    pool: true,
    // The delivery sends one mail at a time.
    maxConnections: 1,
    // Once, for a connection that the server has closed while it was idle. The delivery does all other retries.
    maxRequeues: 1,
    maxRecipients: 1,
    ...wayTo(smtp),
    ...(smtp.credentials && { auth: smtp.credentials }),
    // A text of a mail must never be taken for the address of a file or page to be put in.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** How nodemailer connects. */
const wayTo = ({ host, port, security }: SmtpSettings) => ({
  host,
  port,
  secure: security === 'tls',
  requireTLS: security === 'starttls',
  ignoreTLS: security === 'none',
  ...LIMITS,
});

/**
 * Connects to a mail server and logs in, as the delivery does, and sends nothing.
 * @param signal closes the connection
 * @throws the errors of nodemailer (smtp-failure.ts)
 */
export async function tryLogin(smtp: SmtpSettings, signal: AbortSignal): Promise<void> {
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection');
  const connection = new SmtpConnection(wayTo(smtp));
  const close = () => connection.close();
  signal.addEventListener('abort', close);
  try {
    await new Promise<void>((resolve, reject) => {
      const done = (failure?: Error | null) => (failure ? reject(failure) : resolve());
      connection.on('error', reject);
      connection.once('end', () => reject(new Error('the connection was closed')));
      const logIn = () => (smtp.credentials ? connection.login({ ...smtp.credentials }, done) : done());
      connection.connect((failure) => (failure ? reject(failure) : logIn()));
    });
    connection.quit();
  } finally {
    signal.removeEventListener('abort', close);
    connection.close();
  }
}

/**
 * Addresses go to nodemailer as objects. It would read a text as a list, in which a hostile name or address could add
 * recipients.
 */
function messageOf(letter: Letter, { id, createdAt }: Postmark, from: Mailbox): SendMailOptions {
  const { domain } = splitEmail(from.address);
  return {
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
  };
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
