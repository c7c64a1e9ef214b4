import type { Role, StoredAccount } from '../../stores/accounts.ts';
import type { Clock } from '../../system/clock.ts';

/** Which roles need a second factor (TWO_FACTOR_REQUIRED). */
export interface TwoFactorRequirement {
  /** From when on each role needs one. */
  roles: ReadonlyMap<Role, Date>;
  /** How long after its registration an account may do without (TWO_FACTOR_GRACE_DAYS). */
  graceMillis: number;
}

/** Says who needs a second factor. */
export class TwoFactorPolicy {
  constructor(
    private readonly requirement: TwoFactorRequirement,
    private readonly clock: Clock,
  ) {}

  /** True if the policy is in force for a role, whether or not a new account still has time. */
  names(role: Role): boolean {
    const from = this.requirement.roles.get(role);
    return from !== undefined && from.getTime() <= this.clock.now();
  }

  /** True if an account needs a second factor now. One without a time of registration has had time enough. */
  isDue({ role, createdAt }: Pick<StoredAccount, 'role' | 'createdAt'>): boolean {
    const since = createdAt?.getTime() ?? Number.NEGATIVE_INFINITY;
    return this.names(role) && since + this.requirement.graceMillis <= this.clock.now();
  }
}
