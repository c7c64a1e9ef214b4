import type { Account, AccountStore } from '../../stores/accounts.ts';
import type { MessageStore, WaitingMessage } from '../../stores/messages.ts';
import type { Clock } from '../../system/clock.ts';
import { NotFoundError } from '../../system/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';

/** What operators do with mails that wait. Nobody sees their texts, which are written when they are sent. */
export class MailAdmin {
  constructor(
    private readonly messages: MessageStore,
    private readonly accounts: AccountStore,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * The queued mails, the earliest due first.
   * @param after the id of a mail; the list begins behind it
   * @throws NotFoundError if there is no mail `after` any more
   */
  async waiting(limit: number, after?: string): Promise<WaitingMessage[]> {
    const found = await this.messages.waiting(limit, after);
    if (!found) {
      throw new NotFoundError('No mail has the id of --after. It may be sent by now: begin without --after.');
    }
    return found;
  }

  /** The mails to one person. */
  async waitingFor({ id }: Pick<Account, 'id'>): Promise<WaitingMessage[]> {
    const account = await this.accounts.findById(id);
    return account ? this.messages.waitingFor(account) : [];
  }

  /**
   * Lets the gateway try mails again at once that wait for a later attempt.
   * @param id of one; undefined: all of them
   * @returns how many
   * @throws NotFoundError if the one is sent, being sent or due
   */
  retry(id: string | undefined, actor: Actor): Promise<number> {
    return recordedByOperator(this.audit, { act: 'mail retry' }, actor, async () => {
      const count = await this.messages.hurry(new Date(this.clock.now()), id);
      if (id !== undefined && count === 0) {
        throw new NotFoundError('No mail of this id waits for another attempt.');
      }
      return { result: count, facts: { cause: `${count} ${count === 1 ? 'mail' : 'mails'}` } };
    });
  }
}
