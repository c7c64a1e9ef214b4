/** What an import makes of administrators and of doctors. Its syncs do the same, and `verify` expects it. */
export interface ImportPolicy {
  /** `reviewer`: administrators become reviewers. Otherwise they are left out. */
  admins: 'skip' | 'reviewer';
  /** `verified`: the legacy service has looked at its doctors. `pending`: reviewers here have to. */
  doctors: 'pending' | 'verified';
}

export const DEFAULT_POLICY: ImportPolicy = { admins: 'skip', doctors: 'pending' };

/**
 * The policy of an import.
 * @param options of its run. Those of earlier versions have no word about doctors
 */
export const policyOf = (options: Readonly<Record<string, string>>): ImportPolicy => ({
  admins: options.admins === 'reviewer' ? 'reviewer' : 'skip',
  doctors: options.doctors === 'verified' ? 'verified' : 'pending',
});
