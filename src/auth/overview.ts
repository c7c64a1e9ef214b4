import type { AccountStore } from '../stores/accounts.ts';
import {
  type DoctorStore,
  QUEUE_START,
  queuePlaceOf,
  submittedAtOf,
  VERIFICATION_STATUSES,
} from '../stores/doctors.ts';
import type { OverviewCounts, OverviewStore } from '../stores/overviews.ts';
import type { Clock } from '../system/clock.ts';

/** The accounts change slowly, and there may be very many. */
export const COUNT_EVERY_MILLIS = 300_000;

/** How many profiles are read at a time, and how many at most: after an import all doctors may be pending. */
const PAGE = 250;
const MAX_PENDING = 1_000;

interface OverviewParts {
  overviews: OverviewStore;
  accounts: AccountStore;
  doctors: DoctorStore;
  clock: Clock;
}

/** How many people and tasks there are. Of all instances, one counts every five minutes. */
export class Overview {
  constructor(private readonly parts: OverviewParts) {}

  /**
   * Counts, if no instance has done so for a time.
   * @param everyMillis how old the counts may be
   * @returns the last counts; undefined if the first ones are still being made
   */
  async read(everyMillis = COUNT_EVERY_MILLIS): Promise<OverviewCounts | undefined> {
    const { overviews, clock } = this.parts;
    if (!(await overviews.claim(new Date(clock.now()), everyMillis))) {
      return overviews.find();
    }
    const counts = await this.#count();
    await overviews.store(counts);
    return counts;
  }

  async #count(): Promise<OverviewCounts> {
    const { accounts } = this.parts;
    const factors = await accounts.countFactors();
    const active = [...factors].map(([role, { on, off }]) => ({ role, on, off }));
    return { active, ...(await accounts.countInactive()), ...(await this.#countPending()) };
  }

  /** Doctors whose account is disabled do not wait. */
  async #countPending(): Promise<Pick<OverviewCounts, 'pendingDoctors' | 'oldestPendingAt'>> {
    const { accounts, doctors, clock } = this.parts;
    let pendingDoctors = 0;
    let oldestPendingAt: Date | null = null;
    for (let place = QUEUE_START; pendingDoctors < MAX_PENDING; ) {
      const profiles = await doctors.queue(VERIFICATION_STATUSES.PENDING, place, PAGE, new Date(clock.now()));
      const found = await accounts.reviewable(profiles.map(({ _id }) => _id));
      const waiting = new Set(found.map(({ _id }) => _id));
      const first = profiles.find(({ _id }) => waiting.has(_id));
      oldestPendingAt ??= first ? submittedAtOf(first) : null;
      pendingDoctors += waiting.size;
      const last = profiles.at(-1);
      if (!last || profiles.length < PAGE) {
        break;
      }
      place = queuePlaceOf(last);
    }
    return { pendingDoctors: Math.min(pendingDoctors, MAX_PENDING), oldestPendingAt };
  }
}
