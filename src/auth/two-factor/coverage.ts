import type { AccountStore, Role } from '../../stores/accounts.ts';
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

/** Counts by indexes, so operators may ask every few minutes. */
export async function coverageOf(accounts: AccountStore, policy: TwoFactorPolicy): Promise<FactorCoverage[]> {
  const counts = await accounts.countFactors();
  return [...counts].map(([role, count]) => ({ role, isRequired: policy.names(role), ...count }));
}
