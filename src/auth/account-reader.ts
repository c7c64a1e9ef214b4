import DataLoader from 'dataloader';
import { type Account, type AccountStore, ROLES, type Role } from '../stores/accounts.ts';
import type { DoctorProfile, DoctorStore } from '../stores/doctors.ts';
import { problemOfAccount, problemOfProfile } from '../stores/invalid-records.ts';
import { InsufficientAccessError, UnauthenticatedError } from '../system/errors.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { Caller } from './caller.ts';

interface AccountReaderParts {
  accounts: AccountStore;
  doctors: DoctorStore;
  audit: AuditTrail;
}

/**
 * Reads a doctor's profile; undefined for a patient.
 * @throws UnauthenticatedError if it cannot be shown: the account could not log in any more
 */
export type ProfileReader = (account: Pick<Account, 'id' | 'role'>) => Promise<DoctorProfile | undefined>;

/** What a service may know about an account that is not the caller's: these three fields, and nothing else. */
export class OtherAccount {
  constructor(
    readonly id: string,
    readonly name: string,
    readonly role: Role,
  ) {}
}

/** Reads what a request asks of profiles, and services of accounts. */
export class AccountReader {
  constructor(private readonly parts: AccountReaderParts) {}

  /**
   * Accounts by id, as an authenticated service may see them. Disabled ones are found, too: the records of services still name
   * them.
   * @param ids any texts, in a limited number
   * @returns by id, without ids that are unknown or whose account cannot be shown
   */
  async others(ids: readonly string[], { timeBudget }: Caller): Promise<ReadonlyMap<string, OtherAccount>> {
    const found = await timeBudget.within(() => this.parts.accounts.findMany(ids));
    const valid = found.filter((account) => !problemOfAccount(account));
    return new Map(valid.map(({ _id, name, role }) => [_id, new OtherAccount(_id, name, role)]));
  }

  /** Records that a caller has asked for other accounts, and did not get them (OWASP ASVS 16.3.2). */
  recordRefusal({ id, email }: Account, caller: Caller): void {
    const refusal = new InsufficientAccessError('role', 'other accounts');
    void this.parts.audit.write({ act: 'reading', accountId: id, email }, caller, refusal);
  }

  /** Reads the profiles of accounts for one request: profiles that are asked for together in one query, and each once. */
  profiles({ timeBudget }: Caller): ProfileReader {
    const profiles = new DataLoader((ids: readonly string[]) =>
      timeBudget.within(() => this.#profilesOf(ids)),
    );
    return async ({ id, role }) => (role === ROLES.DOCTOR ? profiles.load(id) : undefined);
  }

  async #profilesOf(ids: readonly string[]): Promise<(DoctorProfile | undefined | Error)[]> {
    const found = await this.parts.doctors.findMany(ids);
    return ids.map((id) => {
      const profile = found.get(id);
      return profile && problemOfProfile(profile) ? new UnauthenticatedError() : profile;
    });
  }
}
