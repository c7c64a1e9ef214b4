import { NotFoundError } from '../../errors/errors.ts';
import { ROLES, type Role, type StoredAccount } from '../../stores/accounts/accounts.ts';
import { type DoctorStore, type Verification, verificationOf } from '../../stores/doctors/doctors.ts';
import { foldCase } from '../../stores/email-key.ts';
import type { Models } from '../../stores/models.ts';
import { type Accounts, type KnownAccount, toKnown } from '../accounts.ts';
import { matcherOf } from './account-search.ts';

/** The name of one account. */
export type WhichAccount = { email: string } | { accountId: string };

/** The accounts that a list shows. */
export interface AccountFilter {
  role?: Role | undefined;
  /** True: only disabled ones. */
  isDisabled?: boolean | undefined;
}

/** How many accounts there are. */
export interface AccountCounts {
  accounts: number;
  disabled: number;
  byRole: Readonly<Record<Role, number>>;
}

/**
 * The accounts read at a time. Each read goes on where the last one ended, so it has the same bounded cost with any number of
 * accounts, and a reader that stops for hours holds no cursor open.
 */
const PAGE = 250;

/** The last code point. No e-mail contains it. */
const AFTER_ALL = '\u{10ffff}';

/** Finds accounts for operators. Nothing here changes one. */
export class AccountDirectory {
  constructor(
    private readonly accounts: Accounts,
    private readonly models: Pick<Models, 'accounts'>,
    private readonly doctors: DoctorStore,
  ) {}

  /** @throws NotFoundError */
  async find(which: WhichAccount): Promise<KnownAccount> {
    const isById = 'accountId' in which;
    const account = await (isById
      ? this.accounts.findById(which.accountId)
      : this.accounts.findByEmail(which.email));
    if (!account) {
      throw new NotFoundError(isById ? 'No account has this id.' : 'No account has this e-mail.');
    }
    return account;
  }

  /** The state of the review of a doctor; undefined for others, and for a doctor without a profile. */
  async verificationOf({ id, role }: KnownAccount): Promise<Verification | undefined> {
    if (role !== ROLES.DOCTOR) {
      return undefined;
    }
    const profile = await this.doctors.find(id);
    return profile ? verificationOf(profile) : undefined;
  }

  /**
   * Lists accounts by id, the largest first. Ids that are not numbers contain the time, so these are the newest.
   * @param after an id; the list begins with the next account. It need not exist
   */
  async *list(filter: AccountFilter, after?: string): AsyncGenerator<KnownAccount> {
    for await (const account of this.#all(after)) {
      if (passes(account, filter)) {
        yield toKnown(account);
      }
    }
  }

  /**
   * Searches names, e-mails and phones for a part. No index helps: all accounts are read, a page at a time, so a rare text
   * takes seconds among a million.
   * @param after see {@link list}
   */
  async *search(text: string, after?: string): AsyncGenerator<KnownAccount> {
    const isMatch = matcherOf(text);
    for await (const account of this.#all(after)) {
      if (isMatch(account)) {
        yield toKnown(account);
      }
    }
  }

  /**
   * Lists the accounts whose e-mail begins with a text, by e-mail. The index of e-mails answers, with any number of accounts.
   * @param after the id of an account; the list begins with the next e-mail
   * @throws NotFoundError when there is no such account
   */
  async *searchEmails(start: string, after?: string): AsyncGenerator<KnownAccount> {
    const first = foldCase(start);
    let last = after === undefined ? undefined : await this.#emailKeyOf(after);
    for (;;) {
      const from = last === undefined ? { $gte: first } : { $gte: first, $gt: last };
      const query = this.models.accounts.find({ emailKey: { ...from, $lt: first + AFTER_ALL } });
      const page = await query.sort({ emailKey: 1 }).limit(PAGE).lean<StoredAccount[]>();
      yield* page.map(toKnown);
      last = page.at(-1)?.emailKey;
      if (page.length < PAGE) {
        return;
      }
    }
  }

  /** Counts all accounts, a page at a time. */
  async count(): Promise<AccountCounts> {
    const counts = { accounts: 0, disabled: 0 };
    const byRole = Object.fromEntries(Object.values(ROLES).map((role) => [role, 0])) as Record<Role, number>;
    for await (const { role, disabledAt } of this.#all(undefined, 'role disabledAt')) {
      counts.accounts += 1;
      counts.disabled += disabledAt ? 1 : 0;
      // Another program may have stored a role that is unknown here.
      byRole[role] = (byRole[role] ?? 0) + 1;
    }
    return { ...counts, byRole };
  }

  async *#all(after: string | undefined, fields?: string): AsyncGenerator<StoredAccount> {
    let last = after;
    for (;;) {
      const query = this.models.accounts.find(last === undefined ? {} : { _id: { $lt: last } });
      const page = await query
        .sort({ _id: -1 })
        .limit(PAGE)
        .select(fields ?? '')
        .lean<StoredAccount[]>();
      yield* page;
      last = page.at(-1)?._id;
      if (page.length < PAGE) {
        return;
      }
    }
  }

  async #emailKeyOf(id: string): Promise<string> {
    const account = await this.models.accounts.findById(id).select('emailKey').lean<StoredAccount>();
    if (!account) {
      throw new NotFoundError('No account has the id of --after.');
    }
    return account.emailKey;
  }
}

const passes = ({ role, disabledAt }: StoredAccount, filter: AccountFilter): boolean =>
  (filter.role === undefined || role === filter.role) && (!filter.isDisabled || Boolean(disabledAt));
