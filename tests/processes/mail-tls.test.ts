import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { failureOf } from '../../src/mail/mail-failures.ts';
import { openSmtp, type SmtpSecurity } from '../../src/mail/smtp.ts';
import { type Certificate, selfSigned } from '../support/certificate.mjs';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { ENGLISH } from '../support/mailroom.ts';
import { orderMails } from '../support/order-mail.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { type SmtpTestServer, useSmtpServer } from '../support/smtp-server.ts';

const certificate = selfSigned('127.0.0.1');
const tls = useSmtpServer({ secure: true, ...certificate });
const starttls = useSmtpServer(certificate);
const plain = useSmtpServer();
const ofAnother = selfSigned('127.0.0.2');
const misplaced = useSmtpServer({ secure: true, ...ofAnother });

const workshop = useWorkshop();

/** Starts a gateway that trusts a certificate. */
async function startTrusting({ cert }: Certificate, smtpUrl: string): Promise<GatewayProcess> {
  const file = path.join(workshop.folder, 'ca.pem');
  await writeFile(file, cert);
  return workshop.start({ ...mailSettings(smtpUrl), NODE_EXTRA_CA_CERTS: file });
}

async function stop(gateway: GatewayProcess): Promise<void> {
  expect(await gateway.stop()).toBe(0);
  expect(gateway.stderr).toBe('');
}

/** A user name and a password with characters that an address must escape. */
const LOGIN = 'clinic%40example.org:p%2Fw%3A';

test.each([
  ['TLS', tls, ''],
  ['STARTTLS', starttls, '?tls=required'],
])('a gateway that trusts the certificate logs in and sends over %s', async (_, server, query) => {
  const [email] = await orderMails(workshop.database);
  const gateway = await startTrusting(certificate, `${server.url.replace('//', `//${LOGIN}@`)}${query}`);
  const mail = await server.nextMail();
  expect(mail).toMatchObject({ recipients: [email], isSecure: true, user: 'clinic@example.org' });
  await gateway.printed('a mail was sent');
  await stop(gateway);
});

test('a trusted certificate of another host is refused', async () => {
  await orderMails(workshop.database);
  const gateway = await startTrusting(ofAnother, misplaced.url);
  await gateway.printed('mails wait');
  expect(gateway.stdout).toContain("does not match certificate's altnames");
  await stop(gateway);
  expect(misplaced.commands).toEqual([]);
});

/** Why a mail to this server fails. */
async function failureAt({ port }: SmtpTestServer, security: SmtpSecurity, host = '127.0.0.1') {
  const credentials = { user: 'clinic', pass: 'a password' };
  const transport = openSmtp({
    smtp: { host, port, security, credentials },
    from: { name: '', address: 'clinic@example.org' },
  });
  const text = { language: ENGLISH, subject: 'Hello', paragraphs: ['Hello.'] };
  const message = { to: { name: '', address: 'ada@example.org' }, ...text };
  const identity = { id: 'id', createdAt: new Date() };
  try {
    await transport.send(message, identity, new AbortController().signal);
    throw new Error('the mail was sent');
  } catch (error) {
    return failureOf(error);
  } finally {
    transport.close();
  }
}

test('nothing is sent to a server without a valid certificate, nor is the password', async () => {
  const servers = [tls, starttls, plain];
  const before = servers.map(({ commands }) => commands.length);
  const unknown = {
    kind: 'unavailable',
    detail: { reason: expect.stringMatching(/self-signed certificate/) },
  };
  expect(await failureAt(tls, 'tls')).toMatchObject(unknown);
  expect(await failureAt(starttls, 'starttls')).toMatchObject(unknown);
  expect(await failureAt(plain, 'starttls')).toMatchObject({ kind: 'unavailable', detail: { code: 'ETLS' } });
  const sent = servers.flatMap(({ commands }, index) => commands.slice(before[index]));
  expect(sent.filter((line) => !/^(EHLO|STARTTLS)/.test(line))).toEqual([]);
});
