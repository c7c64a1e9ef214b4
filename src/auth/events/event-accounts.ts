import { type AccountStore, ROLES, stateOf } from '../../stores/accounts.ts';
import { type DoctorStore, endOf, statusAt } from '../../stores/doctors.ts';
import type { EventAccount, EventState, EventType } from '../../stores/events.ts';
import { type Clock, secondsOf } from '../../system/clock.ts';

interface EventAccountsParts {
  accounts: Pick<AccountStore, 'confirmedStates'>;
  doctors: Pick<DoctorStore, 'confirmedStandings'>;
  clock: Clock;
}

/** The words for services. An account that a legacy service does not have any more is closed until it returns. */
const STATES: Readonly<Record<ReturnType<typeof stateOf>, EventState>> = {
  active: 'active',
  disabled: 'disabled',
  closed: 'closed',
  absent: 'closed',
  'being erased': 'erased',
};

const erased = (id: string): EventAccount => ({ id, role: null, state: 'erased', verification: null });

/** Accounts as services hear of them. */
export class EventAccounts {
  constructor(private readonly parts: EventAccountsParts) {}

  /**
   * Reads what a majority has confirmed, so that it stays true.
   * @returns the accounts by their ids. An id without an account is erased, or never was one. Operators are left out: no service
   *   has to do with them
   */
  async read(ids: readonly string[]): Promise<ReadonlyMap<string, EventAccount>> {
    const { accounts, doctors, clock } = this.parts;
    const states = await accounts.confirmedStates(ids);
    const doctorIds = states.filter(({ role }) => role === ROLES.DOCTOR).map(({ _id }) => _id);
    const standings = doctorIds.length > 0 ? await doctors.confirmedStandings(doctorIds) : new Map();
    const known = new Map(states.map((account) => [account._id, account]));
    return new Map(
      ids.flatMap((id) => {
        const account = known.get(id);
        if (account?.role === ROLES.OPERATOR) {
          return [];
        }
        const state = account && STATES[stateOf(account)];
        if (!account || !state || state === 'erased') {
          return [[id, erased(id)]];
        }
        const { role } = account;
        if (role !== ROLES.DOCTOR) {
          return [[id, { id, role, state, verification: null }]];
        }
        const standing = standings.get(id) ?? {};
        const end = endOf(standing);
        const verification = statusAt(standing, clock.now());
        return [[id, { id, role, state, verification, ...(end && { verified_until: secondsOf(end) }) }]];
      }),
    );
  }

  /** The same for a service that may read these types. An account that they are not about is answered like an unknown id. */
  async readFor(types: readonly EventType[], ids: readonly string[]): Promise<EventAccount[]> {
    const found = await this.read(ids);
    const isAll = types.some((type) => !type.startsWith('doctor.'));
    const isShown = (account?: EventAccount) => isAll || account?.role === ROLES.DOCTOR;
    return ids.map((id) => (isShown(found.get(id)) && found.get(id)) || erased(id));
  }
}
