import { type AccountStore, ROLES, type Role } from '../../stores/accounts.ts';
import type { TwoFactorPolicy } from './policy.ts';

/** How many people of a role have a second factor. */
export interface FactorCoverage {
  role: Role;
  /** True if the policy is in force for the role. */
  isRequired: boolean;
  /** Active accounts with a second factor, and those without. */
  on: number;
  off: number;
}

/** Counts by an index, so operators may ask every few minutes. */
export const coverageOf = (accounts: AccountStore, policy: TwoFactorPolicy): Promise<FactorCoverage[]> =>
  Promise.all(
    Object.values(ROLES).map(async (role) => ({
      role,
      isRequired: policy.names(role),
      ...(await accounts.countFactors(role)),
    })),
  );
