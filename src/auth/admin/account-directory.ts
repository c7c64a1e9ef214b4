import { digitsOf, isPhone } from '../../stores/account-search.ts';
import {
  type Account,
  type AccountCounts,
  type AccountStore,
  type AdministeredAccount,
  hasSecondFactor,
  ROLES,
  type Role,
  toAdministered,
  type WithoutSecrets,
} from '../../stores/accounts.ts';
import { type DoctorStore, type Verification, verificationAt } from '../../stores/doctors.ts';
import { foldCase } from '../../stores/email-key.ts';
import type { Clock } from '../../system/clock.ts';
import { NotFoundError } from '../../system/errors.ts';

/** The name of one account. */
export type WhichAccount = { email: string } | { accountId: string };

/** The accounts that a list shows. */
export interface AccountFilter {
  role?: Role | undefined;
  /** True: only disabled accounts, closed ones included. */
  isDisabled?: boolean | undefined;
  /** True: only closed accounts, which wait for their erasure. */
  isClosed?: boolean | undefined;
  /** True: only those without a second factor. */
  isWithoutFactor?: boolean | undefined;
}

/** Finds accounts for operators. Nothing here changes one. */
export class AccountDirectory {
  constructor(
    private readonly accounts: AccountStore,
    private readonly doctors: DoctorStore,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFoundError */
  async find(which: WhichAccount): Promise<AdministeredAccount> {
    const isById = 'accountId' in which;
    const account = await (isById
      ? this.accounts.findById(which.accountId)
      : this.accounts.findByEmail(which.email));
    if (!account) {
      throw new NotFoundError(isById ? 'No account has this id.' : 'No account has this e-mail.');
    }
    return toAdministered(account);
  }

  /** The state of the review of a doctor; undefined for others, and for a doctor without a profile. */
  async verificationOf({ id, role }: AdministeredAccount): Promise<Verification | undefined> {
    if (role !== ROLES.DOCTOR) {
      return undefined;
    }
    const profile = await this.doctors.find(id);
    return profile && verificationAt(profile, this.clock.now());
  }

  /**
   * Lists accounts by id, the largest first: ids that are not numbers contain the time, so these are the newest. Disabled
   * accounts are sorted by the time of disabling, the latest first.
   * @param after the id of an account; the list begins with the next one
   * @throws NotFoundError when there is no such account
   */
  async *list(filter: AccountFilter, after?: string): AsyncGenerator<AdministeredAccount> {
    const last = await this.#requireAfter(after);
    const { role, isDisabled, isClosed } = filter;
    const pages =
      isDisabled || isClosed ? this.accounts.disabledPages(last) : this.accounts.pages(after, role);
    for await (const page of pages) {
      yield* page.filter((account) => passes(account, filter)).map(toAdministered);
    }
  }

  /**
   * Searches names, e-mails and phones for a part. No index helps: all accounts are read, a page at a time.
   * @param after see {@link list}
   * @param progress is told how many accounts were read, and how many there are
   */
  async *search(
    text: string,
    after: string | undefined,
    progress: (done: number, total: number) => void,
  ): AsyncGenerator<AdministeredAccount> {
    await this.#requireAfter(after);
    const isMatch = matcherOf(text);
    const total = await this.accounts.countAll();
    let done = 0;
    for await (const page of this.accounts.pages(after)) {
      yield* page.filter(isMatch).map(toAdministered);
      done += page.length;
      progress(done, total);
    }
  }

  /**
   * Lists the accounts whose e-mail begins with a text, by e-mail.
   * @param after the id of an account; the list begins with the next e-mail
   * @throws NotFoundError when there is no such account
   */
  async *searchEmails(start: string, after?: string): AsyncGenerator<AdministeredAccount> {
    const last = await this.#requireAfter(after);
    for await (const page of this.accounts.byEmailPrefix(foldCase(start), last?.emailKey)) {
      yield* page.map(toAdministered);
    }
  }

  /** Counts all accounts. */
  count(): Promise<AccountCounts> {
    return this.accounts.count();
  }

  /** A list after an account that does not exist would look like the end of the list. */
  async #requireAfter(id: string | undefined): Promise<WithoutSecrets | undefined> {
    const account = id === undefined ? undefined : await this.accounts.findById(id);
    if (id !== undefined && !account) {
      throw new NotFoundError('No account has the id of --after.');
    }
    return account;
  }
}

const passes = (account: WithoutSecrets, { role, isClosed, isWithoutFactor }: AccountFilter): boolean =>
  (role === undefined || account.role === role) &&
  (!isClosed || Boolean(account.erasureDueAt)) &&
  (!isWithoutFactor || !hasSecondFactor(account));

/** Of a longer field only the beginning is searched. This service stores none, but other programs may. */
const SEARCHED_CHARACTERS = 1_024;

const MIN_PHONE_DIGITS = 3;

/**
 * Makes the check whether an account contains a text: in its name or e-mail, in any case and in composed letters, or in its
 * phone, of which only the digits count.
 * @param text of bounded length
 */
function matcherOf(text: string): (account: Pick<Account, 'name' | 'email' | 'phone'>) => boolean {
  const folded = foldCase(text);
  const digits = digitsOf(text);
  const isPartOfPhone = isPhone(text) && digits.length >= MIN_PHONE_DIGITS;
  return ({ name, email, phone }) => {
    const texts = [name, email, phone].map(searched);
    return (
      texts.some((field) => foldCase(field).includes(folded)) ||
      (isPartOfPhone && digitsOf(searched(phone)).includes(digits))
    );
  };
}

/** Another program may have stored a value of another type. */
const searched = (field: unknown): string =>
  typeof field === 'string' ? field.slice(0, SEARCHED_CHARACTERS) : '';
