import {
  type Account,
  type AccountStore,
  appIdOf,
  factorIdsOf,
  factorsOf,
  newId,
  type StoredAccount,
  toAccount,
} from '../../stores/accounts.ts';
import type { FactorStore } from '../../stores/factors.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import {
  InsufficientAccessError,
  ServiceUnavailableError,
  UnauthenticatedError,
  ValidationError,
} from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { AccountData, SecondFactorData } from '../account-data.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import type { PasskeyProofs } from '../passkeys/passkey-proofs.ts';
import type { PasswordChanges } from '../passwords/password-changes.ts';
import { onPassword, type Reauthenticator } from '../passwords/reauthenticator.ts';
import type { Authenticated } from '../registration.ts';
import { commit } from '../running-act.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import { AMR } from '../tokens/assurance.ts';
import { originOf } from '../tokens/devices.ts';
import type { Session } from '../tokens/sessions.ts';
import type { AppEnrolment } from './authenticator-app.ts';
import type { AdmittedEnrolment, EnrolmentAccess } from './enrolment-access.ts';
import type { LoginChallenges } from './login-challenges.ts';
import { addPendingApp, noPendingApp, requirePendingApp } from './pending-app.ts';
import type { TwoFactorPolicy } from './policy.ts';
import { addRecoveryCodes } from './recovery-codes.ts';
import type { FullProof, SecondFactor } from './second-factor.ts';
import { requireCipher, type SecretCipher } from './secret-cipher.ts';

/** A password, and the proof of the second factor of an account that has one; or a passkey. */
export interface Reauthentication extends FullProof {
  password?: string | undefined;
}

/** The second factor of an account, as its owner sees it. */
export interface TwoFactorState extends SecondFactorData {
  enabled: boolean;
  /** True if the operators ask for one. */
  required: boolean;
}

/** The end of an enrolment. Recovery codes and token are shown only here. */
export interface ConfirmedEnrolment {
  recoveryCodes: string[];
  token: string;
}

interface TwoFactorParts {
  /** undefined without TWO_FACTOR_SECRET: then there are no authenticator apps here. */
  cipher: SecretCipher | undefined;
  /** TWO_FACTOR_ISSUER. */
  twoFactorIssuer: string;
  accounts: AccountStore;
  accountData: AccountData;
  actThrottle: ActThrottle;
  factors: FactorStore;
  loginChallenges: LoginChallenges;
  secondFactor: SecondFactor;
  passkeyProofs: PasskeyProofs;
  enrolmentAccess: EnrolmentAccess;
  twoFactorPolicy: TwoFactorPolicy;
  reauthenticator: Reauthenticator;
  passwordChanges: PasswordChanges;
  tokens: AccessTokens;
  acts: RecordedActs;
  notices: OwnerNotices;
  clock: Clock;
  log: Logger;
}

const NOT_ENROLLED = { code: broken('state', 'Two factor authentication is not enabled.') };

/** What owners do with the second factor of their accounts (docs/contract.md, "A second factor"). Its input is already validated. */
export class TwoFactor {
  constructor(private readonly parts: TwoFactorParts) {}

  /**
   * Begins an enrolment, or the replacement of the app. The present app works until the new one is confirmed.
   * @returns the secret of the new app, shown only here
   * @throws NoSecondFactorError; ValidationError on `password`, on `code`, and on `email` if it must be proven first;
   *   TooManyAttemptsError, ServiceUnavailableError
   */
  async enable(
    { password, ...proof }: Reauthentication,
    { account }: AdmittedEnrolment,
    caller: Caller,
  ): Promise<AppEnrolment> {
    const { acts, reauthenticator, enrolmentAccess } = this.parts;
    const cipher = requireCipher(this.parts.cipher);
    const begun = acts.record(accountSubject('second factor setup', account), caller, async () => {
      const stored = await reauthenticator.check(account, password, caller, proof);
      enrolmentAccess.demandProvenEmail(account);
      return { result: await addPendingApp(stored, { ...this.parts, cipher }) };
    });
    return begun.catch(onPassword);
  }

  /**
   * Confirms a new app with its first code. One write of the account turns it on and ends all other sessions; what comes before it gives
   * nothing yet, and what comes after it is repeated by the next login.
   * @returns new recovery codes, and a token in place of the presented one
   * @throws ValidationError on `code`, InvalidProofError; ServiceUnavailableError
   */
  async confirm(
    code: unknown,
    { account, kind: tokenKind, use }: AdmittedEnrolment,
    caller: Caller,
  ): Promise<ConfirmedEnrolment> {
    const { acts, enrolmentAccess, accounts, factors, tokens, passwordChanges } = this.parts;
    const { loginChallenges, secondFactor, accountData, notices, clock } = this.parts;
    return acts.record(accountSubject('second factor confirmation', account), caller, async (note) => {
      enrolmentAccess.demandProvenEmail(account);
      const stored = await enrolmentAccess.read(account);
      const now = new Date(clock.now());
      const app = await requirePendingApp(factors, stored, now);
      const accept = () => secondFactor.confirm(stored, app, code, caller);
      await (use ? loginChallenges.try(use, accept) : accept());
      const codes = await addRecoveryCodes(factors, account.id, now);
      const turnedOn = { app: app._id, codes: codes.id };
      if (!(await factors.confirmApp(app._id, now))) {
        await factors.remove([turnedOn.codes]);
        noPendingApp();
      }
      const token = await tokens.issue(account, tokenKind, originOf(caller), AMR.code);
      const sessions = { id: newId(), keptTokenId: token.record._id };
      if (!(await commit(() => accounts.turnOnFactors(stored, turnedOn, sessions, note)))) {
        await tokens.withdraw(token.record);
        await factors.remove(factorIdsOf({ factors: turnedOn }));
        throw new ServiceUnavailableError('the account was changed while its second factor was confirmed');
      }
      await this.#afterwards(account, async () => {
        await passwordChanges.endSessions(account.id, sessions);
        await accountData.end('second factor confirmation', account.id);
        await factors.remove(factorIdsOf(stored));
      });
      const kind = appIdOf(stored) !== undefined ? 'second factor replaced' : 'second factor added';
      await notices.order(kind, account.id, caller);
      return {
        result: { recoveryCodes: codes.plain, token: token.plainText },
        facts: { tokenId: token.record._id },
      };
    });
  }

  /**
   * Removes app and recovery codes. Sessions and passkeys stay.
   * @throws InsufficientAccessError where the policy names the role and the account has no passkey, also for an account that could
   *   still do without; ValidationError on `password` and `code`; TooManyAttemptsError, ServiceUnavailableError
   */
  async disable(given: Reauthentication, { account }: Session, caller: Caller): Promise<void> {
    const { acts, enrolmentAccess, twoFactorPolicy, passkeyProofs, accounts, accountData, factors, notices } =
      this.parts;
    const removed = acts.record(accountSubject('second factor removal', account), caller, async (note) => {
      const demandAnother = (owner: StoredAccount) => {
        if (twoFactorPolicy.names(account.role) && passkeyProofs.idsOf(owner).length === 0) {
          throw new InsufficientAccessError('policy', 'the policy asks for a second factor');
        }
      };
      demandAnother(await enrolmentAccess.read(account));
      const stored = await this.#prove(account, given, caller);
      demandAnother(stored);
      if (appIdOf(stored) === undefined) {
        throw new ValidationError(NOT_ENROLLED);
      }
      if (!(await commit(() => accounts.turnOffFactors(stored, note)))) {
        throw new ServiceUnavailableError('the account was changed while its second factor was removed');
      }
      await this.#afterwards(account, async () => {
        await accountData.end('second factor removal', account.id);
        await factors.remove(factorIdsOf(stored));
      });
      await notices.order('second factor removed', account.id, caller);
      return { result: undefined };
    });
    await removed.catch(onPassword);
  }

  /** @throws UnauthenticatedError if the account is gone meanwhile */
  async state({ account }: Session, caller: Caller): Promise<TwoFactorState> {
    const { enrolmentAccess, accountData, twoFactorPolicy } = this.parts;
    const stored = await caller.timeBudget.within(() => enrolmentAccess.read(account));
    const on = await caller.timeBudget.within(() => accountData.secondFactor(stored));
    const none = { confirmedAt: null, recoveryCodesLeft: 0 };
    return {
      enabled: appIdOf(stored) !== undefined,
      ...(on ?? none),
      required: twoFactorPolicy.names(account.role),
    };
  }

  /**
   * Makes new recovery codes for an account with an app or a passkey, ten times a day at most. The former ones end.
   * @returns the codes, shown only here
   * @throws as {@link disable}, but for the policy
   */
  async renewRecoveryCodes(given: Reauthentication, { account }: Session, caller: Caller): Promise<string[]> {
    const { acts, actThrottle, passkeyProofs, accounts, factors, notices, clock } = this.parts;
    const renewed = acts.record(accountSubject('recovery codes', account), caller, async () => {
      const stored = await this.#prove(account, given, caller);
      if (appIdOf(stored) === undefined && passkeyProofs.idsOf(stored).length === 0) {
        throw new ValidationError(NOT_ENROLLED);
      }
      const counted = await actThrottle.count('new-recovery-codes', account.id);
      const codes = await addRecoveryCodes(factors, account.id, new Date(clock.now()));
      if (!(await commit(() => accounts.replaceRecoveryCodes(stored, codes.id)))) {
        await Promise.all([factors.remove([codes.id]), counted.giveBack()]);
        throw new ServiceUnavailableError('the account was changed while it got recovery codes');
      }
      const { codes: former } = factorsOf(stored) ?? {};
      if (former !== undefined) {
        await this.#afterwards(account, () => factors.remove([former]));
      }
      await notices.order('new recovery codes', account.id, caller);
      return { result: codes.plain };
    });
    return renewed.catch(onPassword);
  }

  /**
   * Proves the owner of a session once more (RFC 9470). An account without a second factor gives its password alone: then the new
   * token is a fresh `aal1`. So does one with passkeys alone, unless the policy asks for more.
   * @returns a token with the name and the abilities of the presented one, which ends
   * @throws as {@link disable}, but for the policy
   */
  async stepUp(
    { password, ...proof }: Reauthentication,
    { account, token: presented }: Session,
    caller: Caller,
  ): Promise<Authenticated> {
    const { acts, reauthenticator, accounts, tokens } = this.parts;
    const proved = acts.record(accountSubject('step-up', account), caller, async () => {
      const { account: stored, amr } = await reauthenticator.prove(account, password, caller, proof);
      const { name, abilities } = presented;
      const token = await tokens.issue(account, { name, abilities }, originOf(caller), amr);
      // Of simultaneous calls with one token, one succeeds; and what was to end all sessions must not miss the new one.
      const revoke = () => tokens.revoke(account.id, presented._id);
      if (!((await accounts.isUnchanged(stored)) && (await commit(revoke)))) {
        await tokens.withdraw(token.record);
        throw new UnauthenticatedError();
      }
      return {
        result: { account: toAccount(stored), token: token.plainText },
        facts: { tokenId: token.record._id, endedTokenId: presented._id },
      };
    });
    return proved.catch(onPassword);
  }

  #prove(account: Account, { password, ...proof }: Reauthentication, caller: Caller): Promise<StoredAccount> {
    return this.parts.reauthenticator.check(account, password, caller, proof);
  }

  /** The act is done by now, so a failure here does not become the answer. What is left gives nothing. */
  async #afterwards({ id }: Account, clear: () => Promise<unknown>): Promise<void> {
    await clear().catch((err: unknown) => {
      this.parts.log.warn({ err, accountId: id }, 'what a second factor ends was not all removed');
    });
  }
}
