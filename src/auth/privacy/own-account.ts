import type { AccountStore } from '../../stores/accounts.ts';
import { problemOfProfile } from '../../stores/invalid-records.ts';
import type { Clock } from '../../system/clock.ts';
import { ServiceUnavailableError, UnauthenticatedError } from '../../system/errors.ts';
import type { AccountData } from '../account-data.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import { asFieldError, type Reauthenticator } from '../passwords/reauthenticator.ts';
import { commit } from '../running-act.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { Session } from '../tokens/sessions.ts';
import type { FullProof } from '../two-factor/second-factor.ts';
import type { PersonalData, PersonalDataExport } from './personal-data.ts';

interface OwnAccountParts {
  acts: RecordedActs;
  actThrottle: ActThrottle;
  reauthenticator: Reauthenticator;
  accounts: AccountStore;
  accountData: AccountData;
  personalData: PersonalDataExport;
  notices: OwnerNotices;
  /** From the closing of an account to its erasure. */
  erasureGraceMillis: number;
  clock: Clock;
}

/** The consent to the end of an account. */
export interface Consent extends FullProof {
  password?: string | undefined;
}

/** What people can do with all their data: take it with them, and have it erased (GDPR articles 15, 17 and 20). */
export class OwnAccount {
  constructor(private readonly parts: OwnAccountParts) {}

  /**
   * Everything that the gateway holds about the caller.
   * @throws TooManyAttemptsError; UnauthenticatedError if the profile cannot be shown: the account could not log in any more
   */
  async exportMyData({ account }: Session, caller: Caller): Promise<PersonalData> {
    const { acts, actThrottle, personalData } = this.parts;
    return acts.record(accountSubject('data export', account), caller, async () => {
      await actThrottle.count('exports', account.id);
      const data = await personalData.collect(account.id);
      if (!data || (data.profile && problemOfProfile(data.profile))) {
        throw new UnauthenticatedError();
      }
      return { result: data };
    });
  }

  /**
   * Closes the caller's account: from now on nobody can log in, and no token is valid. It is erased when the grace has
   * passed; until then its e-mail stays taken, and an operator can enable it again. Wrong passwords count with the logins.
   * @returns the time after which it is erased
   * @throws ValidationError (the password is wrong); TooManyAttemptsError; ServiceUnavailableError
   */
  async deleteMyAccount(
    { password, ...proof }: Consent,
    { account }: Session,
    caller: Caller,
  ): Promise<Date> {
    const { acts, reauthenticator, accounts, accountData, notices, clock, erasureGraceMillis } = this.parts;
    const closing = acts.record(accountSubject('closing', account), caller, async (note) => {
      const stored = await reauthenticator.check(account, password, caller, proof);
      const now = clock.now();
      const erasedAfter = new Date(now + erasureGraceMillis);
      if (!(await commit(() => accounts.close(stored, new Date(now), erasedAfter, note)))) {
        throw new ServiceUnavailableError('the account was changed while it was being closed');
      }
      const revoked = await accountData.endAfter('closing', account.id);
      await notices.order('account closed', account.id, caller, { erasedAt: erasedAfter.toISOString() });
      return { result: erasedAfter, facts: { revoked } };
    });
    return closing.catch((error: unknown) => {
      throw asFieldError(error, 'password');
    });
  }
}
