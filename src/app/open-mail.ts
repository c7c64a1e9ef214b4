import { isDeepStrictEqual } from 'node:util';
import { DatabaseOutbox } from '../mail/outbox.ts';
import type { DraftMail } from '../mail/message.ts';
import { MailDelivery } from '../mail/mail-delivery.ts';
import type { MailboxQuota } from '../mail/mail-attempts.ts';
import { noOutbox, type Outbox } from '../mail/outbox.ts';
import { type MailSettings, openSmtp, type ReplaceableTransport } from '../mail/smtp.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { MessageStore } from '../stores/messages.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';

/** Orders for mails, and their delivery. */
export interface Mail {
  outbox: Outbox;
  /**
   * Starts the delivery. It needs no mail server to start.
   * @returns a function that stops it
   */
  deliver(draftMail: DraftMail): () => Promise<void>;
  /** Sends by another mail server, or with another password, from now on. */
  replaceSettings(settings: MailSettings): void;
}

interface MailParts {
  messages: MessageStore;
  quota: MailboxQuota;
  metrics: Metrics | undefined;
  clock: Clock;
  log: Logger;
}

/** @param settings undefined if there is no mail server: then orders are dropped */
export function openMail(settings: MailSettings | undefined, parts: MailParts): Mail {
  if (!settings) {
    return { outbox: noOutbox, deliver: () => async () => {}, replaceSettings: () => {} };
  }
  let current = settings;
  let transport: ReplaceableTransport | undefined;
  const { messages, quota, metrics, clock, log } = parts;
  const outbox = new DatabaseOutbox(messages, clock);
  metrics?.watchMails(() => messages.count());
  const deliver = (draftMail: DraftMail) => {
    transport = openSmtp(current);
    const observe = metrics?.observeMail;
    const delivery = new MailDelivery({ messages, draftMail, quota, transport, clock, log, observe });
    outbox.onAdded(() => delivery.wakeLater());
    delivery.wake();
    return () => delivery.stop();
  };
  const replaceSettings = (replacement: MailSettings) => {
    if (!isDeepStrictEqual(current, replacement)) {
      current = replacement;
      transport?.replace(replacement);
    }
  };
  return { outbox, deliver, replaceSettings };
}
