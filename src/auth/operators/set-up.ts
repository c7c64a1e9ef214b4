import {
  type AccountStore,
  hasSecondFactor,
  STAFF_ROLES,
  type StoredAccount,
  stateOf,
  toAccount,
} from '../../stores/accounts.ts';
import type { FactorStore } from '../../stores/factors.ts';
import type { ResetTokenStore, StoredResetToken } from '../../stores/reset-tokens.ts';
import type { Clock } from '../../system/clock.ts';
import { InvalidSetUpTokenError, NotFoundError } from '../../system/errors.ts';
import type { AuditSubject, AuditTrail } from '../audit/audit-trail.ts';
import {
  accountSubject,
  nameAccount,
  type RecordedActs,
  recordedByOperator,
} from '../audit/recorded-acts.ts';
import { type Actor, type Caller, knownRequester } from '../caller.ts';
import { boundTo, digestOfToken, isBoundTo, type NewLinkToken, randomLinkToken } from '../link-tokens.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { type PasswordCheck, refusePersonalPassword } from '../passwords/password-rules.ts';
import type { Authenticated } from '../registration.ts';
import { commit } from '../running-act.ts';
import type { SessionIssuer } from '../session-issuer.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import { type AccessTokens, AUTH_TOKEN } from '../tokens/access-tokens.ts';
import { AMR } from '../tokens/assurance.ts';
import { originOf } from '../tokens/devices.ts';
import type { AppEnrolment } from '../two-factor/authenticator-app.ts';
import { addPendingApp, requirePendingApp } from '../two-factor/pending-app.ts';
import { addRecoveryCodes } from '../two-factor/recovery-codes.ts';
import type { SecondFactor } from '../two-factor/second-factor.ts';
import { requireCipher, type SecretCipher } from '../two-factor/secret-cipher.ts';

/*
 * Reviewers and operators decide about others, so their accounts never have a password alone: a thief of it would add a second
 * factor first. The command line makes such an account disabled, with a password that nobody knows, and prints a link.
 * Its owner sets the password and the second factor by that link in one sitting, and only this enables the account.
 */

/** How long a link is valid. */
const SET_UP_MINUTES = 60;

/** True if an account waits for its set-up: it is disabled, and has no second factor. */
const isWaiting = (account: StoredAccount): boolean =>
  STAFF_ROLES.includes(account.role) && stateOf(account) === 'disabled' && !hasSecondFactor(account);

/** Makes links that set up accounts. */
export class SetUpLinks {
  constructor(
    private readonly store: ResetTokenStore,
    private readonly accounts: AccountStore,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a link, and records that.
   * @throws NotFoundError unless the account waits for its set-up
   */
  async make(accountId: string, actor: Actor): Promise<NewLinkToken> {
    const account = await this.accounts.findWithPassword(accountId);
    const subject = { act: 'set-up link', accountId, ...(account && { email: account.email }) } as const;
    return recordedByOperator(this.audit, subject, actor, async () => {
      if (!account || !isWaiting(account)) {
        throw new NotFoundError('The account does not wait for its set-up.');
      }
      const token = randomLinkToken();
      const expiresAt = new Date(this.clock.now() + SET_UP_MINUTES * 60_000);
      // A former link may be in the wrong hands.
      await this.store.removeAll(accountId);
      await this.store.insert({
        ...{ _id: digestOfToken(token), ...boundTo(account), expiresAt },
        setsUp: true,
      });
      return { result: { token, expiresAt } };
    });
  }
}

interface SetUpParts {
  /** undefined without TWO_FACTOR_SECRET. */
  cipher: SecretCipher | undefined;
  /** TWO_FACTOR_ISSUER. */
  twoFactorIssuer: string;
  resetTokens: ResetTokenStore;
  accounts: AccountStore;
  factors: FactorStore;
  tokens: AccessTokens;
  secondFactor: SecondFactor;
  hasher: PasswordHasher;
  passwordCheck: PasswordCheck;
  sessionIssuer: SessionIssuer;
  loginThrottle: LoginThrottle;
  acts: RecordedActs;
  audit: AuditTrail;
  clock: Clock;
}

/** What finishes a set-up. */
export interface SetUpEnd {
  token: string;
  newPassword: string;
  /** The first code of the app, of any type. */
  code?: unknown;
}

/** The end of a set-up. Recovery codes and token are shown only here. */
export interface SetUpDone extends Authenticated {
  recoveryCodes: string[];
}

/** The set-up of an account of a reviewer or an operator. Its input is already validated. */
export class SetUp {
  constructor(private readonly parts: SetUpParts) {}

  /**
   * Begins a set-up. The link stays valid, so that a page can be opened again.
   * @returns the secret of a new app, shown only here. An earlier one cannot be confirmed any more
   * @throws NoSecondFactorError; InvalidSetUpTokenError, TooManyAttemptsError, ServiceUnavailableError
   */
  begin(token: string, caller: Caller): Promise<AppEnrolment> {
    const cipher = requireCipher(this.parts.cipher);
    const subject: AuditSubject = { act: 'second factor setup' };
    return this.parts.acts.record(subject, caller, async () => {
      const { account } = await this.#find(token, subject, caller);
      return { result: await addPendingApp(account, { ...this.parts, cipher }) };
    });
  }

  /**
   * Ends a set-up. The steps:
   *
   * 1. Check the code of the app and the password. The link stays valid if they are wrong.
   * 2. Hash. The queue may refuse it.
   * 3. Store the recovery codes and the token, which give nothing yet, and use the link up. Of simultaneous requests, one succeeds.
   * 4. One write of the account sets password and second factor, and enables it.
   *
   * If the process dies between 3 and 4, nothing has changed but that the person needs another link.
   * @throws NoSecondFactorError; InvalidSetUpTokenError; ValidationError on `code` and `newPassword`; TooManyAttemptsError,
   *   ServiceUnavailableError
   */
  finish({ token, newPassword, code }: SetUpEnd, caller: Caller): Promise<SetUpDone> {
    const { accounts, factors, tokens, sessionIssuer, hasher, passwordCheck, clock, acts } = this.parts;
    const subject: AuditSubject = { act: 'set-up' };
    return acts.complete(caller, async () => {
      const { result, written } = await this.parts.audit.record(subject, caller, async (note) => {
        const { account, link } = await this.#find(token, subject, caller);
        refusePersonalPassword(passwordCheck, newPassword, account, {
          field: 'newPassword',
          label: 'password',
        });
        const now = new Date(clock.now());
        const app = await this.#confirm(account, code, now, caller);
        const passwordHash = await caller.timeBudget.pauseFor(() =>
          hasher.hash(newPassword, knownRequester(caller)),
        );
        const codes = await addRecoveryCodes(factors, account._id, now);
        const turnedOn = { app, codes: codes.id };
        const change = { passwordHash, factors: turnedOn };
        const issued = await tokens.issue(toAccount(account), AUTH_TOKEN, originOf(caller), AMR.code);
        const enabled =
          (await factors.confirmApp(app, now)) &&
          (await this.parts.resetTokens.use(link._id, now)) &&
          (await commit(() => accounts.finishSetUp(account, change, now, note)));
        if (!enabled) {
          await tokens.withdraw(issued.record);
          await factors.remove([turnedOn.codes]);
          throw new InvalidSetUpTokenError();
        }
        return { result: { enabled, issued, recoveryCodes: codes.plain } };
      });
      const { enabled, issued, recoveryCodes } = result;
      const login = accountSubject('login', { id: enabled._id, email: enabled.email });
      const opened = sessionIssuer.recordLogin(enabled, { ...login, tokenId: issued.record._id }, caller);
      return {
        result: { account: toAccount(enabled), token: issued.plainText, recoveryCodes },
        written: Promise.all([written, opened]).then(() => {}),
      };
    });
  }

  /** @returns the id of the app */
  async #confirm(account: StoredAccount, code: unknown, now: Date, caller: Caller): Promise<string> {
    const { factors, secondFactor } = this.parts;
    const app = await requirePendingApp(factors, account, now);
    await secondFactor.confirm(account, app, code, caller);
    return app._id;
  }

  /**
   * Finds the link and its account. An invalid one counts with the failed logins from there.
   * @param subject gets the account as soon as it is known
   */
  async #find(
    token: string,
    subject: AuditSubject,
    { ip }: Caller,
  ): Promise<{ account: StoredAccount; link: StoredResetToken }> {
    const { resetTokens, accounts, loginThrottle, clock } = this.parts;
    const link = await resetTokens.find(digestOfToken(token), new Date(clock.now()));
    const account = link?.setsUp && (await accounts.findWithPassword(link.accountId));
    if (!link || !account || !isWaiting(account) || !isBoundTo(link, account)) {
      await loginThrottle.countSender(ip);
      throw new InvalidSetUpTokenError();
    }
    nameAccount(subject, account);
    return { account, link };
  }
}
