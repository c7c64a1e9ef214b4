import { AccountsWithFactors, WITH_PASSKEYS } from './account-factors.ts';
import { appIdOf } from './account-record.ts';
import { ROLES, type Role } from './roles.ts';

/** As the partial index has it: otherwise it is not used. */
export const DISABLED = { disabledAt: { $gt: new Date(0) } };
const CLOSED = { erasureDueAt: { $gt: new Date(0) } };

const SORTED_ROLES = Object.values(ROLES).sort();
/** All roles between these, and on both sides of them. An index serves ranges, where the embedded engine reads all for `$nin`. */
const OTHER_ROLES = [undefined, ...SORTED_ROLES].map((role, index) => ({
  role: {
    ...(role !== undefined && { $gt: role }),
    ...(index < SORTED_ROLES.length && { $lt: SORTED_ROLES[index] }),
  },
}));

/** How many accounts there are. */
export interface AccountCounts {
  accounts: number;
  /** With the closed ones. */
  disabled: number;
  closed: number;
  byRole: Readonly<Record<Role, number>>;
  /** Of roles that another program has stored, and that are unknown here. */
  others: number;
}

/** How many accounts have a second factor, and how many have none. */
interface FactorCount {
  on: number;
  off: number;
}

/**
 * How many accounts there are. Patients are what is left of all: there are so many of them that to count them takes a second, which is
 * longer than an exchange with the database may take.
 */
export abstract class AccountsCounted extends AccountsWithFactors {
  /** How many operators can log in. */
  countOperators(): Promise<number> {
    return this.records.count({ role: ROLES.OPERATOR, disabledAt: null });
  }

  /** Counts all accounts, in whatever state they are. */
  async count(): Promise<AccountCounts> {
    const [accounts, { byRole, others }, inactive] = await Promise.all([
      this.countAll(),
      this.#countByRole(() => this.countAll(), {}),
      this.countInactive(),
    ]);
    return { accounts, byRole, others, ...inactive };
  }

  /**
   * Counts by role. Patients are what is left of all.
   * @param countAll of all roles
   * @param state which accounts
   */
  async #countByRole(
    countAll: () => Promise<number>,
    state: object,
  ): Promise<Pick<AccountCounts, 'byRole' | 'others'>> {
    const [all, doctor, reviewer, operator, others] = await Promise.all([
      countAll(),
      this.#countOf({ role: ROLES.DOCTOR, ...state }),
      this.#countOf({ role: ROLES.REVIEWER, ...state }),
      this.#countOf({ role: ROLES.OPERATOR, ...state }),
      this.#countOf({ $or: OTHER_ROLES.map((role) => ({ ...role, ...state })) }),
    ]);
    const patient = Math.max(0, all - doctor - reviewer - operator - others);
    return { byRole: { patient, doctor, reviewer, operator }, others };
  }

  #countOf(filter: object): Promise<number> {
    return this.records.count(filter);
  }

  /** Counts all accounts. The database knows the number without reading them. */
  countAll(): Promise<number> {
    return this.records.count({});
  }

  /** Counts the disabled accounts, and the closed ones among them. */
  async countInactive(): Promise<{ disabled: number; closed: number }> {
    const [disabled, closed] = await Promise.all([this.#countOf(DISABLED), this.#countOf(CLOSED)]);
    return { disabled, closed };
  }

  /** How many active accounts of each role have a second factor, an app or a passkey, and how many have none. */
  async countFactors(): Promise<ReadonlyMap<Role, FactorCount>> {
    const [all, disabled, passkeysAlone] = await Promise.all([
      this.#countByRole(() => this.countAll(), {}),
      this.#countByRole(() => this.#countOf(DISABLED), DISABLED),
      this.#countPasskeysAlone(),
    ]);
    const counts = Object.values(ROLES).map(async (role) => {
      const apps = await this.#countOf({ role, disabledAt: null, 'factors.app': { $gt: '' } });
      const on = apps + (passkeysAlone.get(role) ?? 0);
      // The numbers are not of one moment.
      const active = Math.max(on, all.byRole[role] - disabled.byRole[role]);
      return [role, { on, off: active - on }] as const;
    });
    return new Map(await Promise.all(counts));
  }

  /** How many active accounts of these roles have passkeys and no app. */
  async countOnlyPasskeys(roles: Iterable<Role>): Promise<number> {
    const counts = await this.#countPasskeysAlone();
    return [...roles].reduce((sum, role) => sum + (counts.get(role) ?? 0), 0);
  }

  /** The active accounts with passkeys and no app. Asked for by their role, all accounts of the role would be read. */
  async #countPasskeysAlone(): Promise<Map<Role, number>> {
    const counts = new Map<Role, number>();
    const projection = { _id: 0, role: 1, disabledAt: 1, 'factors.app': 1 } as const;
    for await (const batch of this.records.batches(WITH_PASSKEYS, { projection })) {
      for (const { role, disabledAt, factors } of batch) {
        const isCounted = !disabledAt && appIdOf({ factors: factors?.app ? factors : null }) === undefined;
        counts.set(role, (counts.get(role) ?? 0) + (isCounted ? 1 : 0));
      }
    }
    return counts;
  }
}
