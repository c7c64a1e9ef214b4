import { type Account, ROLES } from '../stores/accounts.ts';
import type { DoctorStore, VerificationStatus } from '../stores/doctors.ts';
import type { Caller } from './caller.ts';

/** Tells other services what reviewers have decided about a doctor. */
export class Verifications {
  constructor(private readonly doctors: DoctorStore) {}

  /**
   * The state of a doctor's review. It is read with every question, so a suspension counts at once. Only a doctor costs an
   * exchange with the database.
   * @returns undefined for other accounts; `pending` for a doctor whose profile is missing or cannot be shown
   * @throws ServiceUnavailableError
   */
  async statusOf(
    { id, role }: Pick<Account, 'id' | 'role'>,
    { timeBudget }: Caller,
  ): Promise<VerificationStatus | undefined> {
    return role === ROLES.DOCTOR ? timeBudget.within(() => this.doctors.statusOf(id)) : undefined;
  }
}
