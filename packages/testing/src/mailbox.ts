import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A mail that the gateway has sent. */
export interface TestMail {
  /** The address of its reader. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The addresses of the links in its text, such as that to choose a new password. */
  links: string[];
}

/** A mail server on loopback that keeps what it gets. */
export interface Mailbox {
  /** For SMTP_URL. */
  url: string;
  mails: TestMail[];
}

/** Its libraries are loaded only here: a gateway with a mail server of its own does not wait for them. */
export async function openMailbox(): Promise<Mailbox> {
  const [{ SMTPServer }, { default: PostalMime }] = await Promise.all([
    import('smtp-server'),
    import('postal-mime'),
  ]);
  const mails: TestMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, session, callback) {
      const keep = async () => {
        const mail = await PostalMime.parse(await text(stream));
        const body = mail.text ?? '';
        const links = body.match(/https?:\/\/[^\s<>"]+/g) ?? [];
        for (const { address } of session.envelope.rcptTo) {
          mails.push({ to: address, subject: mail.subject ?? '', text: body, html: mail.html ?? '', links });
        }
      };
      keep().then(() => callback(), callback);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, mails };
}
