import { randomUUID } from 'node:crypto';
import { type MailLanguage, textsIn } from '../../auth/mail-texts/languages.ts';
import { failureOf } from '../../mail/mail-failures.ts';
import { type MailSettings, openSmtp, tryLogin } from '../../mail/smtp.ts';
import { type Check, error, type Finding, note, ok } from './check.ts';

/** The mail server: it lets the gateway in, and with `--mail-to` it takes a mail. */
export const mailCheck: Check = {
  name: 'mail',
  maxMillis: 40_000,
  async *run({ config: { mail, mailLanguage }, mailTo }, signal) {
    if (!mail) {
      const todo = 'Set SMTP_URL and MAIL_FROM.';
      yield mailTo === undefined
        ? note('SMTP_URL is not set: no mails are sent, and nobody can reset a password without an operator.')
        : error('No test mail can be sent: SMTP_URL is not set.', todo);
      return;
    }
    const { host, port, security, credentials } = mail.smtp;
    const server = `${host}:${port}`;
    try {
      await tryLogin(mail.smtp, signal);
      const how = credentials ? 'accepts the login' : 'answers (SMTP_URL has no user and password)';
      yield ok(`The mail server ${server} ${how}${security === 'none' ? ', without TLS' : ', with TLS'}.`);
      if (mailTo === undefined) {
        yield note(
          'No mail was sent, so it is not known whether the server accepts MAIL_FROM.',
          'Run the checker with --mail-to ADDRESS.',
        );
      } else {
        yield await sendTestMail(mail, mailLanguage, mailTo, signal);
      }
    } catch (failure) {
      signal.throwIfAborted();
      yield cannotMail(server, failure);
    }
  },
};

async function sendTestMail(
  mail: MailSettings,
  language: MailLanguage,
  address: string,
  signal: AbortSignal,
): Promise<Finding> {
  const transport = openSmtp(mail);
  const { lang, dir, test } = textsIn(language, language);
  const message = {
    to: { name: '', address },
    language: { lang, dir },
    subject: test.subject,
    paragraphs: [test.nothing],
  };
  try {
    await transport.send(message, { id: randomUUID(), createdAt: new Date() }, signal);
  } finally {
    transport.close();
  }
  return ok(`The mail server accepted a test mail to ${address}. Check that it arrives, and not as spam.`);
}

/** The texts of a server's replies are left out: they may repeat what was sent. */
function cannotMail(server: string, failure: unknown): Finding {
  const { code, command, responseCode, status, reason } = failureOf(failure).detail;
  const facts = [reason, responseCode, status, code, command].filter((fact) => fact !== undefined);
  const todo = TODO[String(code)] ?? 'Check SMTP_URL, the network to the server, and the log of the server.';
  return error(`The mail server ${server} cannot be used: ${facts.join(', ')}.`, todo);
}

/** By the codes of nodemailer. */
const TODO: Readonly<Record<string, string>> = {
  EAUTH: 'Check the user and the password in SMTP_URL. Write all characters but letters and digits as %XX.',
  EENVELOPE: 'The server refuses MAIL_FROM or the recipient. Check which senders this login may use.',
  ETLS: 'Check that the server offers STARTTLS on this port and has a valid certificate, or use smtps:// and its port.',
  EDNS: 'Check the host in SMTP_URL, and the name server of this machine.',
};
