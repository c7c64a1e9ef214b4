import {
  type AccountStore,
  type AdministeredAccount,
  hasSecondFactor,
  ROLES,
  type Role,
  stateOf,
  toAdministered,
  type WithoutSecrets,
} from '../../stores/accounts.ts';
import type { AuditEvent, AuditEventStore, AuditPageSearch } from '../../stores/audit-events.ts';
import type { Verification } from '../../stores/doctors.ts';
import { problemOfAccount } from '../../stores/invalid-records.ts';
import type { WaitingMessage } from '../../stores/messages.ts';
import { GUARDED_ACTS, type OperatorActStore, type RequestedAct } from '../../stores/operator-acts.ts';
import type { OverviewCounts } from '../../stores/overviews.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import { InvalidCursorError, ValidationError } from '../../system/errors.ts';
import type { PasskeyData } from '../account-data.ts';
import type { TokenAdmin } from '../admin/account-admin.ts';
import type { AccountDirectory } from '../admin/account-directory.ts';
import type { MailAdmin } from '../admin/mail-admin.ts';
import type { KnownSecondFactor, TwoFactorAdmin } from '../admin/two-factor-admin.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Caller } from '../caller.ts';
import type { Overview } from '../overview.ts';
import type { AccessToken } from '../tokens/token-lifetimes.ts';
import { isActiveOperator, needsAnother, requestedOf, type SeenAccount, versionOf } from './guarded-acts.ts';
import type { OperatorAccess } from './operator-access.ts';

/** The states of an account that operators distinguish. */
export const ACCOUNT_STATES = { ACTIVE: 'active', DISABLED: 'disabled', CLOSED: 'closed' } as const;
export type ListedState = (typeof ACCOUNT_STATES)[keyof typeof ACCOUNT_STATES];

/** Which accounts to list. */
export interface AccountsQuery {
  /** The beginnings of words of the name, of the e-mail or of the telephone. */
  search?: string | undefined;
  role?: Role | undefined;
  state?: ListedState | undefined;
  withoutTwoFactor?: boolean | undefined;
  /** How many at most. */
  first: number;
  /** The id after which the page begins. */
  after?: string | undefined;
}

/** A part of a list. It may be short, or empty, although there are more. */
export interface Page<T> {
  items: T[];
  /** After which the next page begins; null at the end. */
  nextAfter: string | null;
}

/** An account in a list. */
export interface ListedAccount extends AdministeredAccount {
  state: ReturnType<typeof stateOf>;
  hasSecondFactor: boolean;
}

/** All that an operator sees of an account. */
export interface AccountDetails extends ListedAccount {
  /** For the next change. */
  version: string;
  devices: AccessToken[];
  secondFactor: KnownSecondFactor;
  passkeys: PasskeyData[];
  verification: Verification | undefined;
  mails: WaitingMessage[];
  events: AuditEvent[];
  /** The act that waits for another operator. */
  requested: AskedAct | undefined;
  /** The guarded acts that would need another operator now. */
  guarded: readonly string[];
}

/** An act that waits for another operator. */
export interface AskedAct extends RequestedAct {
  /** The name of the operator who asks; null for one who is none any more, whose act nobody can confirm. */
  requestedByName: string | null;
}

/** An act that waits for another operator, and its account. */
export interface WaitingAct extends AskedAct {
  account: ListedAccount;
  version: string;
}

/** What operators see at a glance. */
export interface OperatorOverview {
  counts: OverviewCounts | undefined;
  waitingMails: number | null;
  requestedActs: number;
  /** When the last backup ended; null if there is none, or the database makes its own. */
  lastBackupAt: Date | null;
  problems: string[];
  version: string;
}

interface OperatorQueriesParts {
  operatorAccess: OperatorAccess;
  accounts: AccountStore;
  auditEvents: AuditEventStore;
  operatorActs: OperatorActStore;
  directory: AccountDirectory;
  tokenAdmin: TokenAdmin;
  twoFactorAdmin: TwoFactorAdmin;
  mailAdmin: MailAdmin;
  overview: Overview;
  /** What the process says of itself. */
  status(): Promise<Pick<OperatorOverview, 'waitingMails' | 'lastBackupAt' | 'problems' | 'version'>>;
  audit: AuditTrail;
  clock: Clock;
}

/** The accounts that are read for a page at most: a filter may leave out nearly all. */
const MAX_EXAMINED = 2_000;
/** The accounts that are read for a word of a search. */
const MAX_MATCHES = 1_000;
/** The last events of an account on its page. */
export const EVENTS_OF_ACCOUNT = 20;
/** How old the counts of the overview may be. */
const COUNTS_MILLIS = 60_000;

/** What operators read. The audit trail records each reading, before it is answered (OWASP ASVS 16.3.2). */
export class OperatorQueries {
  constructor(private readonly parts: OperatorQueriesParts) {}

  /** @throws as OperatorAccess.authorizeReading */
  async overview(caller: Caller): Promise<OperatorOverview> {
    const { operatorAccess, overview, operatorActs, status, clock } = this.parts;
    await operatorAccess.authorizeReading(caller);
    return caller.timeBudget.within(async () => {
      const [counts, requested, about] = await Promise.all([
        overview.read(COUNTS_MILLIS),
        operatorActs.requested(new Date(clock.now())),
        status(),
      ]);
      return { counts, requestedActs: requested.length, ...about };
    });
  }

  /**
   * A page of accounts, the largest id first, or those that were disabled last.
   * @throws as OperatorAccess.authorizeReading; ValidationError on `search` and `after`
   */
  async accountsPage(query: AccountsQuery, caller: Caller): Promise<Page<ListedAccount>> {
    const { operatorAccess, audit } = this.parts;
    const operator = await operatorAccess.authorizeReading(caller);
    const { id } = operator;
    await operatorAccess.noteReading(operator, caller);
    const page = await caller.timeBudget.within(() =>
      query.search === undefined ? this.#list(query) : this.#search(query.search, query),
    );
    const kind = query.search === undefined ? 'list of accounts' : 'search for accounts';
    const results = `${page.items.length} ${page.items.length === 1 ? 'result' : 'results'}`;
    await audit.write({ act: 'reading', byAccountId: id, cause: `${kind}, ${results}` }, caller);
    return page;
  }

  async #search(text: string, query: AccountsQuery): Promise<Page<ListedAccount>> {
    const found = await this.parts.accounts.search(text, MAX_MATCHES);
    if (!found) {
      const most = MAX_MATCHES.toLocaleString('en');
      throw new ValidationError({
        search: broken('format', `More than ${most} people match. Add letters, or a second word.`),
      });
    }
    const { first, after } = query;
    const behind = found.filter(
      (account) => (after === undefined || account._id < after) && passes(account, query),
    );
    const items = behind.slice(0, first);
    return {
      items: items.map(toListed),
      nextAfter: behind.length > first ? (items.at(-1)?._id ?? null) : null,
    };
  }

  async #list(query: AccountsQuery): Promise<Page<ListedAccount>> {
    const { accounts } = this.parts;
    const { role, state, first, after } = query;
    const isInactive = state === ACCOUNT_STATES.DISABLED || state === ACCOUNT_STATES.CLOSED;
    const last = after === undefined ? undefined : await accounts.findById(after);
    const isPlace = after === undefined || (last && (!isInactive || last.disabledAt));
    if (!isPlace) {
      throw new InvalidCursorError();
    }
    const pages = isInactive ? accounts.disabledPages(last) : accounts.pages(after, role);
    const items: WithoutSecrets[] = [];
    let examined = 0;
    let lastId: string | null = null;
    for await (const page of pages) {
      for (const account of page) {
        if (items.length === first) {
          return { items: items.map(toListed), nextAfter: lastId };
        }
        lastId = account._id;
        examined += 1;
        if (passes(account, query)) {
          items.push(account);
        }
      }
      if (examined >= MAX_EXAMINED) {
        return { items: items.map(toListed), nextAfter: lastId };
      }
    }
    return { items: items.map(toListed), nextAfter: null };
  }

  /**
   * All that an operator sees of one account.
   * @returns undefined if nobody has the id
   * @throws as OperatorAccess.authorizeReading; TooManyAttemptsError
   */
  async account(id: string, caller: Caller): Promise<AccountDetails | undefined> {
    const { operatorAccess, audit } = this.parts;
    const operator = await operatorAccess.authorizeReading(caller);
    await operatorAccess.countOpened(operator, caller);
    const found = await caller.timeBudget.within(() => this.detailsOf(id));
    if (found) {
      const { email } = found;
      const subject = { act: 'reading', byAccountId: operator.id, accountId: id, email } as const;
      await audit.write({ ...subject, cause: 'account' }, caller);
    }
    return found;
  }

  /** The details of an account, for an operator who may see them. @returns undefined if nobody has the id */
  async detailsOf(id: string): Promise<AccountDetails | undefined> {
    const { directory, tokenAdmin, twoFactorAdmin, mailAdmin, auditEvents, clock } = this.parts;
    const seen = await this.seen(id);
    if (!seen) {
      return undefined;
    }
    const { account, acts } = seen;
    const known = toListed(account);
    const [devices, secondFactor, passkeys, verification, waiting, events] = await Promise.all([
      tokenAdmin.tokensOf(known),
      twoFactorAdmin.show(known),
      twoFactorAdmin.passkeys(known),
      directory.verificationOf(known),
      mailAdmin.waitingFor(known),
      auditEvents.page({ accountId: id }, EVENTS_OF_ACCOUNT, undefined),
    ]);
    const now = new Date(clock.now());
    const requested = requestedOf(acts, now);
    return {
      ...known,
      ...{ devices, secondFactor, passkeys, verification, mails: waiting, events: events?.events ?? [] },
      version: versionOf(seen),
      requested: requested && asked(requested, await this.parts.accounts.findById(requested.requestedBy)),
      guarded: GUARDED_ACTS.filter((act) => needsAnother(act, acts, now)),
    };
  }

  /** An account with what operators have done with it. @returns undefined if nobody has the id */
  async seen(id: string): Promise<SeenAccount | undefined> {
    const { accounts, operatorActs } = this.parts;
    const [account, acts] = await Promise.all([accounts.findById(id), operatorActs.find(id)]);
    return account && passes(account, {}) ? { account, acts } : undefined;
  }

  /**
   * A page of the audit trail, the newest first.
   * @throws as OperatorAccess.authorizeReading; TooManyAttemptsError; ValidationError on `after`
   */
  async auditEvents(
    { first, after, ...search }: AuditPageSearch & { first: number; after?: string | undefined },
    caller: Caller,
  ): Promise<Page<AuditEvent>> {
    const { operatorAccess, auditEvents, audit } = this.parts;
    const operator = await operatorAccess.authorizeReading(caller);
    await operatorAccess.countOpened(operator, caller);
    const page = await caller.timeBudget.within(() => auditEvents.page(search, first, after));
    if (!page) {
      throw new InvalidCursorError();
    }
    const { accountId } = search;
    const subject = {
      act: 'reading',
      byAccountId: operator.id,
      ...(accountId !== undefined && { accountId }),
    } as const;
    await audit.write({ ...subject, cause: 'audit trail' }, caller);
    return { items: page.events, nextAfter: page.nextAfter };
  }

  /**
   * The acts that wait for another operator, the oldest first.
   * @throws as OperatorAccess.authorizeReading; TooManyAttemptsError
   */
  async waitingActs(caller: Caller): Promise<WaitingAct[]> {
    const { operatorAccess, accounts, operatorActs, audit, clock } = this.parts;
    const operator = await operatorAccess.authorizeReading(caller);
    await operatorAccess.countOpened(operator, caller);
    const waiting = await caller.timeBudget.within(async () => {
      const found = await operatorActs.requested(new Date(clock.now()));
      const ids = found.flatMap(({ _id, requested }) => [_id, requested?.requestedBy ?? '']);
      const byId = new Map((await accounts.findMany(ids)).map((account) => [account._id, account]));
      return found.flatMap((acts) => {
        const account = byId.get(acts._id);
        const { requested } = acts;
        return account && requested
          ? {
              ...asked(requested, byId.get(requested.requestedBy)),
              account: toListed(account),
              version: versionOf({ account, acts }),
            }
          : [];
      });
    });
    await audit.write(
      { act: 'reading', byAccountId: operator.id, cause: 'acts that wait for another operator' },
      caller,
    );
    return waiting;
  }
}

/** Adds the name of the operator who asks for an act. */
const asked = (requested: RequestedAct, by: WithoutSecrets | undefined): AskedAct => ({
  ...requested,
  requestedByName: isActiveOperator(by) ? by.name : null,
});

/** An account as a list shows it. */
export const toListed = (account: WithoutSecrets): ListedAccount => ({
  ...toAdministered(account),
  state: stateOf(account),
  hasSecondFactor: hasSecondFactor(account),
});

function passes(
  account: WithoutSecrets,
  { role, state, withoutTwoFactor }: Omit<AccountsQuery, 'first'>,
): boolean {
  const states = {
    active: !account.disabledAt,
    disabled: Boolean(account.disabledAt) && !account.erasureDueAt,
    closed: Boolean(account.erasureDueAt),
  };
  return (
    (role === undefined || account.role === role) &&
    (state === undefined || states[state]) &&
    (!withoutTwoFactor || !hasSecondFactor(account)) &&
    // Another program may have stored what cannot be shown.
    problemOfAccount(account, Object.values(ROLES)) === undefined
  );
}
