import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { StoredMessage } from '../../src/stores/messages.ts';
import { named } from '../support/database-messages.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { orderMails } from '../support/order-mail.ts';
import { aPatient } from '../support/people.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { restApi } from '../support/rest-api.ts';
import { useSmtpServer } from '../support/smtp-server.ts';

const workshop = useWorkshop('own');
const server = useSmtpServer();

const MAILS = 60;
const KILLS = 4;
/** How many mails an instance sends at the same time. */
const UNDER_WAY = 6;

const orders = () => workshop.database.db.collection<StoredMessage>('outgoing_mails');
const settings = () => mailSettings(server.url);

/** Lets the five minutes pass for which a killed instance keeps its order. */
const letClaimsEnd = () =>
  orders().updateMany({ claim: { $exists: true } }, { $set: { nextAttemptAt: new Date(1) } });

test('a mail whose instance is killed between its acceptance and its removal is sent again, with the same Message-ID', async () => {
  const proxy = await startDatabaseProxy(workshop.database.uri);
  const [email = ''] = await orderMails(workshop.database);
  const removal = proxy.breakAt({ command: named('delete outgoing_mails'), when: 'before' }, 'swallow');
  const uri = proxy.through(workshop.database.uri);
  const gateway = workshop.start({ ...settings(), MONGODB_URI: uri });
  const first = await server.nextMail();
  await removal;
  await gateway.kill();
  await proxy.stop();
  expect(await orders().countDocuments()).toBe(1);

  await letClaimsEnd();
  const next = workshop.start(settings());
  const second = await server.nextMail();
  expect([first.recipients, second.recipients]).toEqual([[email], [email]]);
  expect(second.headers['message-id']).toBe(first.headers['message-id']);
  expect(await next.stop()).toBe(0);
  expect(await orders().countDocuments()).toBe(0);
});

test('no mail is lost by kills, and each kill sends at most those twice that were under way', async () => {
  const before = server.mails.length;
  const emails = await orderMails(workshop.database, MAILS);
  for (let kills = 0; kills < KILLS; kills += 1) {
    const gateway = workshop.start(settings());
    for (let sent = 0; sent < MAILS / 10; sent += 1) {
      await server.nextMail();
    }
    await gateway.kill();
    await letClaimsEnd();
  }
  const last = workshop.start(settings());
  const recipients = () => server.mails.slice(before).flatMap((mail) => mail.recipients);
  while (new Set(recipients()).size < MAILS) {
    await server.nextMail();
  }
  // Those that the last kill has left may be sent again after all others.
  await eventually(async () => expect(await orders().countDocuments()).toBe(0));
  expect(await last.stop()).toBe(0);
  expect([...new Set(recipients())].sort()).toEqual(emails.sort());
  expect(recipients().length).toBeLessThanOrEqual(MAILS + KILLS * UNDER_WAY);
});

test('a mail server that never answers holds up neither requests nor the stop', async () => {
  const silent = createServer();
  const connected = once(silent, 'connection');
  const port = await listenOnFreePort(silent);
  await orderMails(workshop.database);
  const gateway = workshop.start({ ...settings(), SMTP_URL: `smtp://127.0.0.1:${port}`, RATE_LIMIT: 'off' });
  const url = await gateway.url();
  const [socket] = (await connected) as [Socket];
  authenticated(await restApi(url).registerPatient(aPatient()));
  expect(await gateway.stop()).toBe(0);
  // Given back by the stop: the next start sends it at once.
  expect(await orders().countDocuments({ claim: { $exists: false } })).toBe(1);
  expect(gateway.stdout).not.toContain('a mail was sent');
  socket.destroy();
  silent.close();
});
