import { eventually } from '../support/eventually.ts';
import { orderMails } from '../support/order-mail.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { useSmtpServer } from '../support/smtp-server.ts';
import { stopWithoutWarnings, useInstances } from './support/instances.ts';

const MAILS = 100;

const server = useSmtpServer();
const instances = useInstances(async () => mailSettings(server.url));

test('two instances share the mails, and each mail is sent once', async () => {
  // Both are in the middle of a mail before either continues.
  let held = 0;
  const release = server.hold(() => {
    held += 1;
    if (held === instances.gateways.length) {
      release();
    }
  });
  const { database } = instances.workshop;
  const emails = await orderMails(database, MAILS);
  await eventually(() => expect(server.mails.length).toBeGreaterThanOrEqual(MAILS));
  await eventually(async () =>
    expect(await database.db.collection('outgoing_mails').countDocuments()).toBe(0),
  );
  expect(server.mails.flatMap(({ recipients }) => recipients).sort()).toEqual(emails.sort());
  for (const gateway of instances.gateways) {
    expect(gateway.stdout).toContain('a mail was sent');
    await stopWithoutWarnings(gateway);
  }
});
