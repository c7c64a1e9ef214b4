import type { Outbox } from '../../mail/outbox.ts';
import type { MailOrder } from '../../stores/messages.ts';
import type { Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import type { Caller } from '../caller.ts';

/** Orders the mails that tell owners what happened to their second factor (OWASP ASVS 6.3.7). */
export class FactorNotices {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Nothing fails because a mail was not ordered: by then the act is done. */
  async order(
    kind: MailOrder['kind'],
    accountId: string,
    { ip }: Pick<Caller, 'ip'>,
    facts: Record<string, string> = {},
  ): Promise<void> {
    const at = new Date(this.clock.now()).toISOString();
    const order = { kind, to: { accountId }, facts: { at, ...facts } };
    await this.outbox.add(order, { orderedFrom: ip }).catch((err: unknown) => {
      this.log.warn({ err, accountId }, 'a mail about a second factor was not ordered');
    });
  }
}
