import type { Clock } from '../../system/clock.ts';
import { BadRequestError, NotFoundError } from '../../system/errors.ts';
import type { AccountData } from '../account-data.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { accountSubject, recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import type { Erasure } from '../privacy/erasure.ts';
import type { PersonalData, PersonalDataExport } from '../privacy/personal-data.ts';
import { type LastOperatorParts, refuseLastOperator } from './account-admin.ts';

interface ErasureAdminParts extends LastOperatorParts {
  accountData: AccountData;
  personalData: PersonalDataExport;
  erasure: Erasure;
  erasureGraceMillis: number;
  audit: AuditTrail;
  notices: OwnerNotices;
  clock: Clock;
}

/** An account as an operator has found it. */
interface FoundAccount {
  id: string;
  email: string;
}

/** What operators do for people who ask for their data or its erasure. Each act is in the audit trail before its method returns. */
export class ErasureAdmin {
  constructor(private readonly parts: ErasureAdminParts) {}

  /**
   * Everything that the gateway holds about a person.
   * @throws NotFoundError if the account was erased meanwhile
   */
  export(account: FoundAccount, actor: Actor): Promise<PersonalData> {
    const { audit, personalData } = this.parts;
    return recordedByOperator(audit, accountSubject('data export', account), actor, async () => {
      const result = await personalData.collect(account.id);
      return { result: result ?? noLonger() };
    });
  }

  /**
   * Closes an account as its owner can, who gets a mail. An account that is closed already keeps its time.
   * @returns the time after which it is erased, and the number of tokens that it had
   * @throws NotFoundError if the account was erased meanwhile
   */
  close(account: FoundAccount, actor: Actor): Promise<{ erasedAfter: Date; revoked: number }> {
    const { audit, accounts, accountData, notices, clock, erasureGraceMillis } = this.parts;
    return recordedByOperator(audit, accountSubject('closing', account), actor, async (note) => {
      await refuseLastOperator(this.parts, account.id);
      const now = clock.now();
      const wanted = new Date(now + erasureGraceMillis);
      const closed = await accounts.closeAsOperator(account.id, new Date(now), wanted, note);
      const erasedAfter = closed ?? noLonger();
      const revoked = await accountData.endAfter('closing', account.id);
      const isOld = erasedAfter.getTime() !== wanted.getTime() && { failure: 'already closed' };
      const erasedAt = erasedAfter.toISOString();
      await (isOld || notices.byOperator('account closed', account.id, { erasedAt }));
      return { result: { erasedAfter, revoked }, facts: { revoked, ...isOld } };
    });
  }

  /**
   * Erases an account at once.
   * @throws NotFoundError if it was erased meanwhile; BadRequestError if the erasure could not be completed
   */
  async erase({ id }: FoundAccount, actor: Actor): Promise<void> {
    await refuseLastOperator(this.parts, id);
    const isErased = await this.parts.erasure.eraseNow(id, actor).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new BadRequestError(
        `The erasure has begun, but it could not be completed: ${reason}. The gateway tries to complete it every hour.`,
        { cause: error },
      );
    });
    if (!isErased) {
      noLonger();
    }
  }
}

function noLonger(): never {
  throw new NotFoundError('The account does not exist any more.');
}
