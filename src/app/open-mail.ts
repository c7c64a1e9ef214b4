import { DatabaseOutbox } from '../mail/database-outbox.ts';
import type { WriteLetter } from '../mail/letter.ts';
import { MailDelivery } from '../mail/mail-delivery.ts';
import { OrderQueue } from '../mail/order-queue.ts';
import { noOutbox, type Outbox } from '../mail/outbox.ts';
import { type MailSettings, openSmtp } from '../mail/smtp.ts';
import type { Metrics } from '../metrics/start-metrics.ts';
import type { OutgoingMailModel } from '../models/outgoing-mail.model.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';

/** Orders for mails, and their delivery. */
export interface Mail {
  outbox: Outbox;
  /**
   * Starts the delivery. It needs no mail server to start.
   * @returns a function that stops it
   */
  deliver(writeLetter: WriteLetter): () => Promise<void>;
}

interface MailParts {
  mails: OutgoingMailModel;
  metrics: Metrics | undefined;
  clock: Clock;
  log: Logger;
}

/** @param settings undefined if there is no mail server: then orders are dropped */
export function openMail(settings: MailSettings | undefined, parts: MailParts): Mail {
  if (!settings) {
    return { outbox: noOutbox, deliver: () => async () => {} };
  }
  const { mails, metrics, clock, log } = parts;
  const outbox = new DatabaseOutbox(mails, clock);
  const queue = new OrderQueue(mails, clock);
  metrics?.watchMails(() => queue.count());
  const deliver = (writeLetter: WriteLetter) => {
    const transport = openSmtp(settings);
    const observe = metrics?.observeMail;
    const delivery = new MailDelivery({ queue, writeLetter, transport, clock, log, observe });
    outbox.onAdded(() => delivery.wakeLater());
    delivery.wake();
    return () => delivery.stop();
  };
  return { outbox, deliver };
}
