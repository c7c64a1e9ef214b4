import type { Outbox } from '../mail/outbox.ts';
import type { MessageKind, MessageOrder } from '../stores/messages.ts';
import { DAY_MILLIS } from '../system/calendar.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { Caller } from './caller.ts';

/** The fact of a mail whose cause is an act of an operator, not of its reader. */
export const BY_OPERATOR = { by: 'operator' } as const;

/**
 * True if a mail may have a text that a person chose: its reader has proven the e-mail, or cannot.
 * @param emailVerificationUrl EMAIL_VERIFICATION_URL
 */
export const mayHaveTexts = (isProven: boolean, emailVerificationUrl: string | undefined): boolean =>
  isProven || emailVerificationUrl === undefined;

/** Orders the mails that tell owners what happened to their account (OWASP ASVS 6.3.7). */
export class OwnerNotices {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly emailVerificationUrl?: string | undefined,
  ) {}

  /** True if notices are sent, and those to an e-mail may have texts that a person chose ({@link mayHaveTexts}). */
  haveTexts(isProven: boolean): boolean {
    return this.outbox.isOn && mayHaveTexts(isProven, this.emailVerificationUrl);
  }

  /** Nothing fails because a mail was not ordered: by then the act is done. */
  async order(
    kind: MessageKind,
    accountId: string,
    { ip }: Pick<Caller, 'ip'>,
    facts: Record<string, string> = {},
  ): Promise<void> {
    const at = new Date(this.clock.now()).toISOString();
    await this.send({ kind, to: { accountId }, facts: { at, ...facts } }, accountId, ip);
  }

  /** Does {@link order} for an order that has everything. */
  async send(order: MessageOrder, accountId: string, ip: string): Promise<void> {
    await this.outbox.add(order, { orderedFrom: ip }).catch((err: unknown) => {
      this.log.warn({ err, accountId, kind: order.kind }, 'a mail about an account was not ordered');
    });
  }

  /**
   * Orders the mail that a verification ends, once for each of its times, also after a kill.
   * @throws the database's error
   */
  async ofEnd(accountId: string, end: Date, markMillis: number): Promise<void> {
    const until = end.toISOString();
    const limit = { key: `verification ends ${accountId} ${until} ${markMillis}`, perMillis: 7 * DAY_MILLIS };
    await this.outbox.add({ kind: 'verification ends', to: { accountId }, facts: { until } }, { limit });
  }

  /** Does {@link order} for an act of an operator. */
  byOperator(kind: MessageKind, accountId: string, facts: Record<string, string> = {}): Promise<void> {
    return this.order(kind, accountId, { ip: '' }, { ...facts, ...BY_OPERATOR });
  }
}
