import type { mongo } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { renewalBy, renewed } from './account-endings.ts';
import { accountSchema, type StoredAccount, WITHOUT_SECRETS, type WithoutSecrets } from './account-record.ts';
import { searchFieldsOf } from './account-search.ts';
import { BulkRecords } from './bulk-records.ts';
import { emailKey } from './email-key.ts';
import { type EventNote, noting } from './event-notes.ts';
import { Store } from './store.ts';

/** The states of an account. It is in exactly one of them, which its record says. An erased account has no record. */
export type AccountState = 'active' | 'disabled' | 'closed' | 'absent' | 'being erased';

/** The fields of a record that say its state. */
type StateFields = Pick<StoredAccount, 'disabledAt' | 'erasureDueAt' | 'erasingSince' | 'legacyAbsence'>;

/** The state of a stored account. */
export function stateOf({
  disabledAt,
  erasureDueAt,
  erasingSince,
  legacyAbsence,
}: Partial<StateFields>): AccountState {
  if (erasingSince) {
    return 'being erased';
  }
  if (legacyAbsence) {
    return 'absent';
  }
  if (!disabledAt) {
    return 'active';
  }
  return erasureDueAt ? 'closed' : 'disabled';
}

/** A verb that changes the state of an account. */
type StateVerb =
  | 'disable'
  | 'enable'
  | 'close'
  | 'closeAsOperator'
  | 'beginErasure'
  | 'beginErasureNow'
  | 'finishErasure'
  | 'setPassword'
  | 'asAbsent'
  | 'asReturned'
  | 'finishSetUp';

/**
 * What can happen to an account. The verbs have their own conditions; account-states.test.ts compares them with this table: every other pair of a state and a verb changes nothing. `none` is an account without a record.
 * Only an active account can log in, has valid tokens and gets a new password. The e-mail may change unless the account is being
 * erased or absent.
 */
export const TRANSITIONS: readonly {
  from: readonly AccountState[];
  verb: StateVerb;
  to: readonly AccountState[] | 'none';
  condition?: string;
}[] = [
  { from: ['active'], verb: 'disable', to: ['disabled'] },
  { from: ['absent'], verb: 'disable', to: ['absent'], condition: 'it is then disabled when it returns' },
  { from: ['disabled', 'closed'], verb: 'enable', to: ['active'] },
  { from: ['disabled'], verb: 'finishSetUp', to: ['active'], condition: 'it has no second factor' },
  {
    from: ['closed'],
    verb: 'setPassword',
    to: ['active'],
    condition: 'it was closed with an e-mail that nobody had proven, and a mailed link proves it',
  },
  { from: ['active'], verb: 'close', to: ['closed'], condition: 'the hash of the password is the same' },
  { from: ['active', 'disabled'], verb: 'closeAsOperator', to: ['closed'] },
  {
    from: ['absent'],
    verb: 'closeAsOperator',
    to: ['absent'],
    condition: 'it is then closed when it returns',
  },
  { from: ['closed', 'absent'], verb: 'beginErasure', to: ['being erased'], condition: 'it is due' },
  { from: ['active', 'disabled', 'closed', 'absent'], verb: 'beginErasureNow', to: ['being erased'] },
  { from: ['being erased'], verb: 'finishErasure', to: 'none' },
  { from: ['active', 'disabled', 'closed'], verb: 'asAbsent', to: ['absent'] },
  {
    from: ['absent'],
    verb: 'asReturned',
    to: ['active', 'disabled', 'closed'],
    condition: 'as it was before',
  },
];

/**
 * What a verb requires of the record, in the update itself: of two verbs at the same time, the second finds the state that the
 * first has made.
 */
const ACTIVE = { disabledAt: null } as const;
const NOT_BEING_ERASED = { erasingSince: null } as const;
const PRESENT = { legacyAbsence: null } as const;
const NOT_ACTIVE = { disabledAt: { $ne: null } } as const;

/** The update that ends the activity of an account. A pending change of its e-mail must not come back with it. */
const inactiveSince = (
  act: 'disabling' | 'closing',
  disabledAt: Date,
  others: Pick<Partial<StoredAccount>, 'erasureDueAt' | 'closedByOwner'> = {},
) => ({
  $set: { disabledAt, ...others, ...renewalBy(act) },
  $unset: { emailChange: true as const },
});

/** In the place of the key of an e-mail, which always has an at sign. */
const absentKey = (id: string): string => `absent:${id}`;

/**
 * An account that the legacy service does not have any more: nobody can log in, no token is valid, its e-mail is free, a pending
 * change of the e-mail ends, and everything else stays until its row returns.
 * @returns the account itself if it is absent already or is being erased
 */
export function asAbsent(account: StoredAccount, since: Date): StoredAccount {
  if (account.legacyAbsence || account.erasingSince) {
    return account;
  }
  const { emailChange: _, ...rest } = account;
  const { disabledAt = null } = account;
  const state = { disabledAt: disabledAt ?? since, legacyAbsence: { since, disabledAt } };
  return renewed({ ...rest, emailKey: absentKey(account._id), ...state }, 'legacy absence');
}

/**
 * An account whose row has returned: it is as disabled or closed as it was, or as an operator has decided since.
 * @returns the account itself if it is not absent
 */
export function asReturned(account: StoredAccount): StoredAccount {
  if (!account.legacyAbsence || account.erasingSince) {
    return account;
  }
  const { legacyAbsence, ...present } = account;
  const wasClosed = account.erasureDueAt ? account.disabledAt : null;
  const disabledAt = legacyAbsence.disabledAt ?? wasClosed;
  return renewed({ ...present, emailKey: emailKey(account.email), disabledAt }, 'legacy return');
}

/** The fields that say the state of an account. A verb may change one of them alone. */
export const STATE_FIELDS = [
  'disabledAt',
  'erasureDueAt',
  'erasingSince',
  'legacyAbsence',
] as const satisfies (keyof StateFields)[];

/** By these, a sync notices that a person or an operator has changed an account since it was read. */
const COMPARED = ['name', 'email', 'emailKey', 'passwordHash', 'updatedAt', ...STATE_FIELDS];

/** The life of an account from its first disabling to its end. Each change is one update under its condition. */
export abstract class AccountLifeCycle extends Store<StoredAccount> {
  /** For the move from and to a legacy service. */
  readonly bulk: BulkRecords<StoredAccount>;

  constructor(database: LimitedConnection) {
    super(database, accountSchema);
    this.bulk = new BulkRecords(database, accountSchema, COMPARED, searchFieldsOf);
  }

  /**
   * Disables an account. One that the legacy service does not have any more is then still disabled when it returns.
   * @returns false if it is disabled already
   */
  async disable(id: string, disabledAt: Date, note: EventNote): Promise<boolean> {
    const absent = {
      legacyAbsence: { $ne: null },
      'legacyAbsence.disabledAt': null,
      ...NOT_BEING_ERASED,
    } as const;
    // First: no reset opens what an operator has disabled, also if it was closed before.
    await this.#change(id, { closedByOwner: true }, { $unset: { closedByOwner: true } });
    return (
      (await this.#change(id, ACTIVE, noting(inactiveSince('disabling', disabledAt), note))) ||
      (await this.#change(id, absent, noting({ $set: { 'legacyAbsence.disabledAt': disabledAt } }, note)))
    );
  }

  /**
   * Enables an account again. A closed account that is enabled stays.
   * @returns false if it is enabled already, its erasure has begun, or the legacy service does not have it any more
   */
  enable(id: string, note: EventNote): Promise<boolean> {
    const gone = { erasureDueAt: true, closedByOwner: true } as const;
    const change = { $set: { disabledAt: null, ...renewalBy('enabling') }, $unset: gone };
    return this.#change(id, { ...NOT_ACTIVE, ...NOT_BEING_ERASED, ...PRESENT }, noting(change, note));
  }

  /**
   * Closes an account for its owner.
   * @param account as it was read with its password
   * @returns false if it is not active any more, or its password was changed since
   */
  close(
    { _id, passwordHash }: StoredAccount,
    now: Date,
    erasureDueAt: Date,
    note: EventNote,
  ): Promise<boolean> {
    const change = inactiveSince('closing', now, { erasureDueAt, closedByOwner: true });
    return this.#change(_id, { passwordHash, ...ACTIVE }, noting(change, note));
  }

  /**
   * Closes an account for an operator. A disabled account stays disabled since it was, and a closed one keeps its date.
   * @returns when it is erased; undefined if it does not exist any more
   */
  async closeAsOperator(
    id: string,
    now: Date,
    erasureDueAt: Date,
    note: EventNote,
  ): Promise<Date | undefined> {
    await this.#change(id, ACTIVE, noting(inactiveSince('closing', now), note));
    const dated = noting({ $set: { erasureDueAt } }, note);
    if (await this.#change(id, { ...NOT_ACTIVE, erasureDueAt: null }, dated)) {
      return erasureDueAt;
    }
    const projection = { erasureDueAt: 1 };
    const own = { $unset: { closedByOwner: true as const } };
    const closed = await this.records.updated({ _id: id }, own, { projection });
    return closed?.erasureDueAt ?? undefined;
  }

  /**
   * The closed account whose erasure is due first. One that was interrupted comes before the others.
   * @param except ids that are left out
   * @returns its id
   */
  async nextDueForErasure(now: Date, except: readonly string[]): Promise<string | undefined> {
    const due = { erasureDueAt: { $lte: now }, _id: { $nin: [...except] } };
    const options = { sort: { erasureDueAt: 1 }, projection: { _id: 1 } } as const;
    return (await this.records.first(due, options))?._id;
  }

  /**
   * Begins the erasure of an account that is due, or resumes one that had already begun. From then on it cannot be enabled.
   * @returns the account; undefined if it was enabled or erased meanwhile
   */
  async beginErasure(id: string, now: Date): Promise<WithoutSecrets | undefined> {
    const condition = { ...NOT_ACTIVE, erasureDueAt: { $lte: now }, ...NOT_BEING_ERASED };
    await this.#change(id, condition, { $set: { erasingSince: now } });
    return this.#beingErased(id);
  }

  /**
   * Begins the erasure of any account at once, or resumes one that had already begun.
   * @returns the account; undefined if it does not exist
   */
  async beginErasureNow(id: string, now: Date): Promise<WithoutSecrets | undefined> {
    await this.#change(id, ACTIVE, inactiveSince('closing', now));
    const change = { $set: { erasureDueAt: now, erasingSince: now } };
    await this.#change(id, { ...NOT_ACTIVE, ...NOT_BEING_ERASED }, change);
    return this.#beingErased(id);
  }

  /** Removes an account whose erasure has begun: the last step of an erasure. */
  async finishErasure(id: string): Promise<void> {
    await this.records.remove({ _id: id, erasingSince: { $ne: null } });
  }

  /** True for an account whose erasure has begun, or that was erased. */
  async isErased(id: string): Promise<boolean> {
    return !(await this.records.exists({ _id: id, ...NOT_BEING_ERASED }));
  }

  /**
   * The ids of the accounts that the legacy service does not have any more, in their order. All accounts are read, a page at a time:
   * a query for these few would read all before its first answer.
   */
  async *absentPages(): AsyncGenerator<string[]> {
    for await (const page of this.records.pages({ legacyAbsence: 1 })) {
      const absent = page.filter(({ legacyAbsence }) => legacyAbsence);
      if (absent.length > 0) {
        yield absent.map(({ _id }) => _id);
      }
    }
  }

  async #change(
    _id: string,
    condition: mongo.Filter<StoredAccount>,
    change: mongo.UpdateFilter<StoredAccount>,
  ): Promise<boolean> {
    return this.records.update({ _id, ...condition }, change);
  }

  async #beingErased(id: string): Promise<WithoutSecrets | undefined> {
    const filter = { _id: id, erasingSince: { $ne: null } };
    return this.records.first(filter, { projection: WITHOUT_SECRETS });
  }
}
