import type { mongo } from 'mongoose';
import { isDuplicateKey, isUnique } from '../database/database-errors.ts';
import { AccountsCounted, DISABLED } from './account-counts.ts';
import { withEmail } from './account-credentials.ts';
import type { EndingAct } from './account-endings.ts';
import { STATE_FIELDS } from './account-life-cycle.ts';
import {
  type Account,
  type AccountCorrection,
  hasSecondFactor,
  type StoredAccount,
  toAccount,
  WITHOUT_SECRETS,
  type WithoutSecrets,
} from './account-record.ts';
import {
  AFTER_ALL,
  begins,
  filtersOf,
  lengthOf,
  NO_WORDS,
  searchedWords,
  searchFieldsOf,
} from './account-search.ts';
import type { AccountChange } from './doctor-profile-record.ts';
import { emailKey } from './email-key.ts';
import { type EventNote, noting } from './event-notes.ts';
import { ROLES, type Role } from './roles.ts';
import { CONFIRMED, inPages } from './store.ts';

export type { AccountCounts } from './account-counts.ts';
export { type AccountState, asAbsent, asReturned, stateOf, TRANSITIONS } from './account-life-cycle.ts';
export {
  ACCOUNTS,
  type Account,
  type AccountCorrection,
  type AccountFactors,
  type AdministeredAccount,
  appIdOf,
  emailVerifiedAtOf,
  factorIdsOf,
  factorsOf,
  hasOnlyOnePasskey,
  hasSecondFactor,
  isOpenedByReset,
  newId,
  passkeysOf,
  type SessionsEnding,
  type StoredAccount,
  toAccount,
  toAdministered,
  type WithoutSecrets,
} from './account-record.ts';
export { PUBLIC_ROLES, ROLES, type Role, STAFF_ROLES } from './roles.ts';

/** A longer id belongs to no account: ids are made here, or come from a key of the legacy database. */
export const MAX_ID_CHARACTERS = 128;

/** A key whose domain is not in ASCII has such a letter. Some others do, too. */
const NOT_ASCII = /[^ -~]/;

/** The accounts that are read together where all of them are read. */
const PAGE = 250;

type StateField = (typeof STATE_FIELDS)[number];
const STATE_PROJECTION = Object.fromEntries(['role', ...STATE_FIELDS].map((field) => [field, 1]));

/** A new account. */
export type NewAccountRecord = Omit<StoredAccount, 'emailKey' | 'updatedAt' | 'disabledAt' | 'createdAt'> & {
  createdAt: Date;
  /** When it was disabled; null or absent for an active account. */
  disabledAt?: Date | null;
  eventNotes: EventNote[];
};

/** An account with the digests of the networks and the names of the devices that it has logged in from. */
export type WithOrigins = WithoutSecrets & Pick<StoredAccount, 'knownPlaces' | 'codePlaces' | 'knownDevices'>;

/**
 * The accounts: one record for each person. What can happen to one is in {@link TRANSITIONS}. Only `findForLogin`,
 * `findWithPassword` and the bulk verbs of the move return the hash of a password.
 */
export class AccountStore extends AccountsCounted {
  /**
   * Inserts an account.
   * @returns undefined if another account has the e-mail
   * @throws the database's error if the id is taken
   */
  async insert(account: NewAccountRecord): Promise<Account | undefined> {
    const { email, dateOfBirth = null, disabledAt = null, language, ...given } = account;
    const record = {
      ...{ ...given, email, emailKey: emailKey(email), dateOfBirth, updatedAt: given.createdAt, disabledAt },
      ...(language && { language }),
      ...searchFieldsOf(given),
    };
    try {
      await this.records.insert(record);
      return toAccount(record);
    } catch (error) {
      if (await this.#isTakenEmail(error, email)) {
        return undefined;
      }
      throw error;
    }
  }

  /** Some engines do not say which index has refused a write. Then only a look distinguishes a taken e-mail from a taken id. */
  async #isTakenEmail(error: unknown, email: string): Promise<boolean> {
    if (!isDuplicateKey(error, 'emailKey')) {
      return false;
    }
    return !isDuplicateKey(error, '_id') || this.hasEmail(email);
  }

  /**
   * Corrects what an active account says about its owner. The language alone is no change of the account record.
   * @param fields those that stay are absent
   * @returns the account after it; undefined if it is not active any more
   */
  async correct(
    id: string,
    fields: AccountCorrection,
    now: Date,
    note: EventNote,
  ): Promise<WithoutSecrets | undefined> {
    const options = { projection: WITHOUT_SECRETS };
    const filter = { _id: id, disabledAt: null };
    return this.records.updated(filter, noting(correctionOf(fields, now), note), options);
  }

  /**
   * Takes over the change of an account that its doctor's profile has, in whatever state the account is. A repetition changes
   * nothing, nor does a change that was overtaken by a later one.
   */
  async takeChange(id: string, { fields, at, revision }: AccountChange): Promise<void> {
    const filter = { _id: id, profileRevision: { $not: { $gte: revision } } };
    const { $set, $max } = correctionOf(fields, at);
    const change = { $set: { ...$set, profileRevision: revision }, ...($max && { $max }) };
    await this.records.update(filter, change);
  }

  /** True if an account has the e-mail. Only the unique index is certain: another one may be inserted meanwhile. */
  hasEmail(email: string): Promise<boolean> {
    return this.records.exists(withEmail(email));
  }

  /** The keys among these that an account has. */
  async emailKeysAmong(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const filter = { emailKey: { $in: [...keys] } };
    const found = await this.records.list(filter, { projection: { _id: 0, emailKey: 1 } });
    return new Set(found.map(({ emailKey }) => emailKey));
  }

  async findById(id: string): Promise<WithoutSecrets | undefined> {
    return isPossibleId(id) ? this.#find({ _id: id }) : undefined;
  }

  async findByEmail(email: string): Promise<WithoutSecrets | undefined> {
    return this.#find(withEmail(email));
  }

  /** The roles and states of the accounts among these ids, as a majority has confirmed them. */
  async confirmedStates(
    ids: readonly string[],
  ): Promise<Pick<WithoutSecrets, '_id' | 'role' | StateField>[]> {
    const possible = [...new Set(ids)].filter(isPossibleId);
    const options = { ...CONFIRMED, projection: STATE_PROJECTION };
    return this.records.list({ _id: { $in: possible } }, options);
  }

  /** The accounts among these ids, in any order and any state. */
  async findMany(ids: readonly string[]): Promise<WithoutSecrets[]> {
    const possible = [...new Set(ids)].filter(isPossibleId);
    if (possible.length === 0) {
      return [];
    }
    const filter = { _id: { $in: possible } };
    return this.records.list(filter, { projection: WITHOUT_SECRETS });
  }

  /** Finds an account with the networks and devices that it has logged in from, for an export of personal data. */
  async findWithOrigins(id: string): Promise<WithOrigins | undefined> {
    const { knownPlaces: _1, codePlaces: _2, knownDevices: _3, ...projection } = WITHOUT_SECRETS;
    return this.records.first({ _id: id }, { projection });
  }

  /** The enabled doctors' accounts with these ids. @param disabledToo includes disabled and closed ones, but none being erased */
  async reviewable(ids: readonly string[], disabledToo = false): Promise<WithoutSecrets[]> {
    const state = disabledToo ? { erasingSince: null } : { disabledAt: null };
    const filter = { _id: { $in: [...ids] }, role: ROLES.DOCTOR, ...state };
    return this.records.list(filter, { projection: WITHOUT_SECRETS });
  }

  /** The ids among these that have an account. */
  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#idsOf(ids, {});
  }

  /** The ids among these that have an account of a doctor. */
  async doctorsAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#idsOf(ids, { role: ROLES.DOCTOR });
  }

  /** Most batches of the sweep are empty. */
  async #idsOf(ids: readonly string[], which: { role?: 'doctor' }): Promise<ReadonlySet<string>> {
    return ids.length === 0 ? new Set() : this.records.ids({ _id: { $in: [...ids] }, ...which });
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.records.exists({}));
  }

  /**
   * Gives accounts the keys of their e-mails that {@link emailKey} makes now, if these differ.
   * @param signal ends it early; its reason is thrown
   * @returns the ids of accounts that keep their key, because another account has the same e-mail
   */
  async renewEmailKeys(signal: AbortSignal | undefined): Promise<string[]> {
    const taken: string[] = [];
    const options = { projection: { email: 1, emailKey: 1 } };
    for await (const batch of this.records.batches({ emailKey: NOT_ASCII }, options)) {
      for (const { _id, email, emailKey: former } of batch) {
        signal?.throwIfAborted();
        const key = emailKey(email);
        const change = { $set: { emailKey: key } };
        const update = () => this.records.update({ _id, emailKey: former }, change);
        if (key !== former && !(await isUnique(update(), 'emailKey'))) {
          taken.push(_id);
        }
      }
    }
    return taken;
  }

  /**
   * Accounts in pages, the largest id first. Each page is a query of its own, so a slow reader holds no cursor open.
   * @param role by default all
   */
  pages(beforeId: string | undefined, role?: Role): AsyncGenerator<WithoutSecrets[]> {
    return this.#pages(beforeId, WITHOUT_SECRETS, role);
  }

  #pages(
    beforeId: string | undefined,
    projection: Partial<Record<keyof StoredAccount, 0 | 1>>,
    role?: Role,
  ): AsyncGenerator<WithoutSecrets[]> {
    const options = { projection, sort: { _id: -1 }, limit: PAGE } as const;
    return inPages<WithoutSecrets>((last) => {
      const id = last?._id ?? beforeId;
      const behind = id !== undefined && { _id: { $lt: id } };
      return this.records.list({ ...(role !== undefined && { role }), ...behind }, options);
    }, PAGE);
  }

  /**
   * The disabled accounts in pages, also those that their owners have closed. Those that were disabled last come first.
   * @param after the account behind which the list begins
   */
  disabledPages(after: WithoutSecrets | undefined): AsyncGenerator<WithoutSecrets[]> {
    return inPages((last = after) => this.#disabledBehind(last), PAGE);
  }

  async #disabledBehind(last: WithoutSecrets | undefined): Promise<WithoutSecrets[]> {
    const at = last?.disabledAt;
    const parts =
      last && at
        ? [{ disabledAt: at, _id: { $lt: last._id } }, { disabledAt: { ...DISABLED.disabledAt, $lt: at } }]
        : [DISABLED];
    const page: WithoutSecrets[] = [];
    for (const filter of parts) {
      const limit = PAGE - page.length;
      const options = { projection: WITHOUT_SECRETS, sort: { disabledAt: -1, _id: -1 }, limit } as const;
      page.push(...(limit > 0 ? await this.records.list(filter, options) : []));
    }
    return page;
  }

  /**
   * The accounts whose e-mail begins with a text, by e-mail. The index of e-mails answers, with any number of accounts.
   * @param start in the form of {@link emailKey}
   * @param afterKey the key of the e-mail after which the list begins
   */
  byEmailPrefix(start: string, afterKey: string | undefined): AsyncGenerator<WithoutSecrets[]> {
    const options = { projection: WITHOUT_SECRETS, sort: { emailKey: 1 }, limit: PAGE } as const;
    return inPages<WithoutSecrets>((last) => {
      const key = last?.emailKey ?? afterKey;
      const from = key === undefined ? { $gte: start } : { $gte: start, $gt: key };
      return this.records.list({ emailKey: { ...from, $lt: start + AFTER_ALL } }, options);
    }, PAGE);
  }

  /**
   * Finds the people whose name, e-mail or telephone begins with a text: each word of the text is the beginning of a word of the name
   * or of the e-mail, or the text is the beginning of the telephone. A word of two characters must be a whole word of the name.
   * @param text of bounded length
   * @param most how many are read for a word
   * @returns the largest id first; undefined if too many people match each word
   */
  async search(text: string, most: number): Promise<WithoutSecrets[] | undefined> {
    await this.#addMissingWords();
    const words = searchedWords(text);
    // The longest word has the fewest people.
    const longestFirst = words.toSorted((one, other) => lengthOf(other) - lengthOf(one));
    for (const filters of longestFirst.map(filtersOf).filter((filters) => filters.length > 0)) {
      const found = await Promise.all(filters.map((filter) => this.#matching(filter, most)));
      if (found.every((accounts) => accounts.length <= most)) {
        const byId = new Map(found.flat().map((account) => [account._id, account]));
        const matching = [...byId.values()].filter((account) => words.every((word) => begins(account, word)));
        return matching.toSorted((one, other) => (one._id < other._id ? 1 : -1));
      }
    }
    return words.some((word) => filtersOf(word).length > 0) ? undefined : [];
  }

  #matching(filter: mongo.Filter<StoredAccount>, most: number): Promise<WithoutSecrets[]> {
    const options = { projection: WITHOUT_SECRETS, limit: most + 1 };
    return this.records.list(filter, options);
  }

  /** Gives the accounts their search fields that an earlier version or another program has written. @returns how many */
  async #addMissingWords(): Promise<number> {
    // The driver's types do not know that null finds an absent field.
    const filter = { nameWords: null as unknown as string[] };
    const options = { projection: { name: 1, phone: 1 }, limit: PAGE } as const;
    const found = await this.records.list(filter, options);
    const operations = found.map(({ _id, name, phone }) => ({
      updateOne: {
        filter: { _id, name, phone },
        update: { $set: { ...NO_WORDS, ...searchFieldsOf({ name, phone }) } },
      },
    }));
    if (operations.length > 0) {
      await this.records.within(this.records.collection.bulkWrite(operations, { ordered: false }));
    }
    return found.length;
  }

  /** Gives all accounts the fields by which a search finds them. @param signal ends it early; its reason is thrown */
  async addSearchFields(signal: AbortSignal | undefined): Promise<void> {
    do {
      signal?.throwIfAborted();
    } while ((await this.#addMissingWords()) > 0);
  }

  /** Does {@link renewAccess} for all accounts, a page at a time. Those that are made meanwhile may be left out. */
  async renewEveryonesAccess(act: EndingAct): Promise<void> {
    for await (const page of this.#pages(undefined, { _id: 1 })) {
      await this.renewAccess(
        page.map(({ _id }) => _id),
        act,
      );
    }
  }

  /** Counts the accounts that have a second factor, in whatever state they are, a page at a time. */
  async countWithFactors(): Promise<number> {
    let count = 0;
    for await (const page of this.#pages(undefined, { factors: 1, passkeys: 1 })) {
      count += page.filter(hasSecondFactor).length;
    }
    return count;
  }

  async #find(filter: { _id: string } | { emailKey: string }): Promise<WithoutSecrets | undefined> {
    return this.records.first(filter, { projection: WITHOUT_SECRETS });
  }
}

/** The update of a correction. The time of the last change never goes back. */
function correctionOf({ language, ...fields }: AccountCorrection, at: Date) {
  const corrected = Object.keys(fields).map((name) => [`corrected.${name}`, true]);
  return {
    $set: {
      ...fields,
      ...searchFieldsOf(fields),
      ...(language !== undefined && { language }),
      ...Object.fromEntries(corrected),
    },
    ...(corrected.length > 0 && { $max: { updatedAt: at } }),
  };
}

const isPossibleId = (id: string): boolean => id.length <= MAX_ID_CHARACTERS;
