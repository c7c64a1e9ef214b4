import type { Connection } from 'mongoose';
import { readConfig } from '../../src/config/config.ts';
import type { MailboxQuota, MailOutcome } from '../../src/mail/mail-attempts.ts';
import { MailDelivery } from '../../src/mail/mail-delivery.ts';
import type { DraftMail, WrittenMessage } from '../../src/mail/message.ts';
import { DatabaseOutbox, LONGEST_HOLD_MILLIS } from '../../src/mail/outbox.ts';
import { openSmtp } from '../../src/mail/smtp.ts';
import { type MessageOrder, MessageStore } from '../../src/stores/messages.ts';
import { createLog } from '../../src/system/log.ts';
import { Events } from './events.ts';
import { eventually } from './eventually.ts';
import { ManualClock } from './manual-clock.ts';

/** An outbox and its delivery on a real database, without the rest of a gateway. */
export interface Mailroom {
  clock: ManualClock;
  outbox: DatabaseOutbox;
  messages: MessageStore;
  /** Stores an order for each e-mail, and lets the time pass until they are due. */
  order(...emails: string[]): Promise<void>;
  log: readonly string[];
  /** What became of all attempts so far. */
  outcomes: readonly MailOutcome[];
  /** Waits for the next attempt that no earlier call has returned. */
  nextOutcome(): Promise<MailOutcome>;
  /** Waits until the delivery has nothing to do for so long, and lets that time pass. */
  pause(millis: number): Promise<void>;
  /** The same for a longer time, in which an order becomes due again that was postponed just now. */
  pauseUntilDue(millis: number): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** How often a delivery looks without being woken. */
const CHECK_MILLIS = 10_000;

/** An order for the mail of an address. */
export const orderFor = (email: string): MessageOrder => ({ kind: 'password changed', to: { email } });

/** The language of messages about which nothing else is tested. */
export const ENGLISH = { lang: 'en', dir: 'ltr' } as const;

/** The draft of this message. */
export const draftOf = (
  { to, ...text }: WrittenMessage,
  kind: MessageOrder['kind'] = 'password changed',
) => ({
  kind,
  to,
  write: async () => text,
});

/** A short message to the e-mail of the order. */
export const plainMessage: DraftMail = async ({ kind, to }) => {
  const address = 'email' in to ? to.email : '';
  const text = { subject: 'Your password was changed', paragraphs: ['Your password was changed.'] };
  return draftOf({ to: { name: 'Ada', address }, language: ENGLISH, ...text }, kind);
};

/** A quota for mailboxes that may get any number of mails. */
const unlimited: MailboxQuota = { take: async () => ({ giveBack: async () => {} }) };

/** Opens a mailroom. The clock begins now, because the database removes what is old by its own clock. */
export function openMailroom(
  connection: Connection,
  smtpUrl: string,
  draftMail: DraftMail = plainMessage,
  clock = new ManualClock(new Date()),
  mailboxQuota = unlimited,
): Mailroom {
  const { mail } = readConfig({
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'Clinic <clinic@example.org>',
    PASSWORD_RESET_URL: 'https://app.example.org/reset/{token}',
  });
  if (!mail) {
    throw new Error('SMTP_URL sets a mail server up');
  }
  const messages = new MessageStore({ connection });
  const outbox = new DatabaseOutbox(messages, clock);
  const outcomes: MailOutcome[] = [];
  const ended = new Events<MailOutcome>();
  const log: string[] = [];
  const delivery = new MailDelivery({
    messages,
    draftMail,
    mailboxQuota,
    transport: openSmtp(mail),
    clock,
    log: createLog('trace', { write: (line) => void log.push(line) }),
    onMail: (outcome) => {
      outcomes.push(outcome);
      ended.push(outcome);
    },
  });
  const pause = async (millis: number) => {
    await eventually(() => expect(clock.millisToNext).toBe(millis));
    await clock.advance(millis);
  };
  return {
    clock,
    outbox,
    messages,
    order: async (...emails) => {
      for (const email of emails) {
        await outbox.add(orderFor(email));
      }
      await clock.advance(LONGEST_HOLD_MILLIS);
    },
    log,
    outcomes,
    nextOutcome: () => ended.next(),
    pause,
    pauseUntilDue: async (millis) => {
      clock.move(millis - CHECK_MILLIS);
      await pause(CHECK_MILLIS);
    },
    start: () => {
      outbox.onAdded(() => delivery.wakeLater());
      delivery.wake();
    },
    stop: async () => {
      const stopClock = clock.run();
      await delivery.stop().finally(stopClock);
    },
  };
}
