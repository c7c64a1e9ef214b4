import { mailSettings } from './reset-codes.ts';
import { rememberPassword } from './response-record.ts';
import { type ReceivedMail, type SmtpTestServer, startSmtpServer } from './smtp-server.ts';
import { createTestApp, letMailsBeSent, type TestApp } from './test-app.ts';

/** Settings for mails with links that prove an e-mail, by this mail server. */
export const emailLinkSettings = (url: string) => ({
  ...mailSettings(url),
  EMAIL_VERIFICATION_URL: 'https://app.example.org/confirm?token={token}',
});

/** The token in the link of a mail, of any kind. */
export function tokenIn({ text, html }: ReceivedMail): string {
  const [, token = ''] = /https:\/\/app\.example\.org\/\w+[#?]token=([\w-]{43})\b/.exec(text) ?? [];
  expect(token).not.toBe('');
  expect(html).toContain(token);
  rememberPassword(token);
  return token;
}

/** The mails that the last request has ordered, by their recipients: they wait for a moment before they are sent. */
export async function nextMails(server: SmtpTestServer, count: number): Promise<Map<string, ReceivedMail>> {
  await letMailsBeSent();
  const mails = new Map<string, ReceivedMail>();
  for (let received = 0; received < count; received += 1) {
    const mail = await server.nextMail();
    mails.set(mail.recipients.join(), mail);
  }
  return mails;
}

/** The mail that the last request has ordered to an e-mail, and the only one. */
export async function nextMailTo(server: SmtpTestServer, email: string): Promise<ReceivedMail> {
  const mail = (await nextMails(server, 1)).get(email);
  if (!mail) {
    throw new Error(`no mail to ${email}`);
  }
  return mail;
}

/** The next mail to an e-mail. Earlier acts may have ordered mails to others. */
export async function mailTo(server: SmtpTestServer, email: string): Promise<ReceivedMail> {
  await letMailsBeSent();
  for (;;) {
    const mail = await server.nextMail();
    if (mail.recipients.includes(email)) {
      return mail;
    }
  }
}

/** How many mails are ordered and not sent yet. */
export const waitingMails = ({ database }: Pick<TestApp, 'database'>, order: object = {}): Promise<number> =>
  database.db.collection('outgoing_mails').countDocuments({ order: { $exists: true }, ...order });

/**
 * A mail server, and an app that sends its mails there, for all tests of the file.
 * @param settingsOf the settings of the app, by the URL of the server
 */
export function useMailedApp(settingsOf: (url: string) => Record<string, string>) {
  const used = {} as { app: TestApp; server: SmtpTestServer };
  beforeAll(async () => {
    used.server = await startSmtpServer();
    used.app = await createTestApp(settingsOf(used.server.url));
  });
  afterAll(async () => {
    await used.app.stop();
    await used.server.stop();
  });
  const running = <T extends object>(name: 'app' | 'server') =>
    new Proxy({} as T, { get: (_, field) => Reflect.get(used[name], field) });
  return { app: running<TestApp>('app'), server: running<SmtpTestServer>('server') };
}
