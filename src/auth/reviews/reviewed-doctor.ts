import { type Account, ROLES, type StoredAccount, toAccount } from '../../stores/accounts/accounts.ts';
import { type DoctorProfile, submittedAtOf } from '../../stores/doctors/doctors.ts';
import { flawOfAccount, flawOfProfile } from '../../stores/flaws.ts';

/** A doctor as reviewers see one. */
export interface ReviewedDoctor {
  account: Account;
  profile: DoctorProfile;
  /** Counts the changes that a reviewer must not miss. A decision names the one that was seen. */
  revision: number;
  /** When the documents were submitted that wait for a decision, or were decided on. */
  submittedAt: Date;
}

/** The filter for the accounts that are reviewed. Nobody decides on a doctor whose account is disabled or closed. */
export const REVIEWED_ACCOUNTS = { role: ROLES.DOCTOR, disabledAt: null } as const;

/** @returns undefined if one of the two records cannot be shown */
export function toReviewedDoctor(account: StoredAccount, profile: DoctorProfile): ReviewedDoctor | undefined {
  if (flawOfAccount(account) !== undefined || flawOfProfile(profile) !== undefined) {
    return undefined;
  }
  return {
    account: toAccount(account),
    profile,
    revision: profile.revision ?? 0,
    submittedAt: submittedAtOf(profile),
  };
}

/** The filter for a profile that nobody has reviewed or submitted again since it was read. */
export const asReviewed = ({ _id, revision = 0 }: Pick<DoctorProfile, '_id' | 'revision'>) => ({
  _id,
  revision: revision === 0 ? { $in: [0, null] } : revision,
});
