import { type Account, toAccount, type WithoutSecrets } from '../../stores/accounts.ts';
import { type DoctorProfile, submittedAtOf } from '../../stores/doctors.ts';
import { problemOfAccount, problemOfProfile } from '../../stores/invalid-records.ts';

/** A doctor as reviewers see one. */
export interface ReviewedDoctor {
  account: Account;
  profile: DoctorProfile;
  /** Counts the changes that a reviewer must not miss. A decision names the one that was seen. */
  revision: number;
  /** When the documents were submitted that wait for a decision, or were decided on. */
  submittedAt: Date;
}

/** @returns undefined if one of the two records cannot be shown */
export function toReviewedDoctor(
  account: WithoutSecrets,
  profile: DoctorProfile,
): ReviewedDoctor | undefined {
  if (problemOfAccount(account) !== undefined || problemOfProfile(profile) !== undefined) {
    return undefined;
  }
  return {
    account: toAccount(account),
    profile,
    revision: profile.revision ?? 0,
    submittedAt: submittedAtOf(profile),
  };
}
