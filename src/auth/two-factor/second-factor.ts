import { appIdOf, factorsOf, passkeysOf, type StoredAccount } from '../../stores/accounts.ts';
import type { FactorStore, StoredApp, StoredRecoveryCodes } from '../../stores/factors.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import {
  type FieldErrors,
  InvalidProofError,
  PasswordBlockedError,
  ServiceUnavailableError,
} from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { Caller } from '../caller.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { KnownPlaces } from '../throttle/known-places.ts';
import { AMR } from '../tokens/assurance.ts';
import { codeOf, stepOf } from './authenticator-app.ts';
import type { TwoFactorPolicy } from './policy.ts';
import { digestOfRecoveryCode } from './recovery-codes.ts';
import type { SecretCipher } from './secret-cipher.ts';

/** What proves the second factor, as it was sent: a code of the app, or a recovery code. Values of any type. */
export interface Proof {
  code?: unknown;
  recoveryCode?: unknown;
}

/** What proves the owner of an account in full. A passkey is enough; then the password and what goes with it are not looked at. */
export interface FullProof extends Proof {
  /** `AuthenticationResponseJSON` of WebAuthn. */
  credential?: unknown;
}

/** True if a caller has sent something to prove the second factor, right or wrong. */
export const isProof = ({ code, recoveryCode }: Proof): boolean => isGiven(code) || isGiven(recoveryCode);

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** The field and the text of a missing or wrong second factor. The texts are those of Fortify. */
export const PROOF_TEXTS = {
  missing: { code: broken('required', 'A two factor authentication code is required.') },
  passkeyMissing: { credential: broken('required', 'Sign in with your passkey.') },
  wrongCode: { code: broken('wrong', 'The provided two factor authentication code was invalid.') },
  usedCode: { code: broken('expired', 'This code was already used. Wait for the next one.') },
  wrongRecoveryCode: {
    recoveryCode: broken('wrong', 'The provided two factor recovery code was invalid.'),
  },
} satisfies Record<string, FieldErrors>;

interface SecondFactorParts {
  factors: FactorStore;
  /** undefined without TWO_FACTOR_SECRET. */
  cipher: SecretCipher | undefined;
  twoFactorPolicy: TwoFactorPolicy;
  actThrottle: ActThrottle;
  knownPlaces: KnownPlaces;
  notices: OwnerNotices;
  /** False with RATE_LIMIT=off: then no number of wrong codes refuses the password. */
  areCodesLimited: boolean;
  clock: Clock;
  log: Logger;
}

/** After so many wrong codes in a row the owner gets a mail: somebody knows the password. */
const WRONG_BEFORE_MAIL = 3;
/** After so many in a row the password is refused. */
const WRONG_BEFORE_BLOCK = 100;
/** The owner is told when so many recovery codes are left. */
const FEW_CODES = 2;

/**
 * Checks the second factor of an account whose password was right. Everything that asks for it does so here, so the limits are the same:
 * 10 wrong codes an hour, 20 a day with one password and 60 with any, and no password after 100 in a row (OWASP ASVS 6.6.3, NIST SP
 * 800-63B section 3.2.2). The field `factors` of the account names the records of its app and its recovery codes, and alone says that they
 * count, as `passkeys` does for passkeys: additions write it last, removals first. An account without them costs no exchange more.
 */
export class SecondFactor {
  constructor(private readonly parts: SecondFactorParts) {}

  /**
   * What an account needs beside its right password, as a caller names it: one of these. A passkey alone does not change that; it counts
   * where the policy asks for a second factor. There a stored passkey counts even if PASSKEY_RP_ID is not set any more and none works:
   * the password must not become enough.
   * @returns empty if the password is enough, or the account has nothing yet
   */
  methodsOf(account: StoredAccount): readonly string[] {
    const { twoFactorPolicy } = this.parts;
    const passkey = passkeysOf(account).ids.length > 0 ? ['passkey'] : [];
    if (appIdOf(account) !== undefined) {
      return ['code', 'recovery_code', ...passkey];
    }
    const recoveryCode = factorsOf(account) ? ['recovery_code'] : [];
    return passkey.length > 0 && twoFactorPolicy.isDue(account) ? [...passkey, ...recoveryCode] : [];
  }

  /** What a caller hears who has sent nothing to prove the second factor. */
  missingTexts(account: StoredAccount): FieldErrors {
    return appIdOf(account) === undefined ? PROOF_TEXTS.passkeyMissing : PROOF_TEXTS.missing;
  }

  /**
   * Checks a code or a recovery code, and uses it up.
   * @param account with a second factor, as it was read with its password
   * @returns the methods that have proved the owner now (RFC 8176)
   * @throws InvalidProofError; PasswordBlockedError; TooManyAttemptsError; ServiceUnavailableError
   */
  async verify(account: StoredAccount, proof: Proof, caller: Caller): Promise<readonly string[]> {
    const factor = await this.#factorOf(account);
    if (!factor || !isProof(proof)) {
      throw new InvalidProofError(this.missingTexts(account));
    }
    const { factors, notices } = this.parts;
    const amr = await this.#counted(account, caller, async () => {
      const wrong = await factors.countWrong(factor._id, account.passwordChange?.id ?? null);
      return this.#check(account, factor, proof, caller).catch(async (error: unknown) => {
        if (!(error instanceof InvalidProofError)) {
          await factors.giveBackWrong(factor._id);
        } else if (wrong === WRONG_BEFORE_MAIL) {
          await notices.order('wrong codes', account._id, caller);
        }
        throw error;
      });
    });
    await factors.clearWrong(factor._id);
    if (factor.kind === 'app') {
      await this.#encryptAgain(factor);
    }
    return amr;
  }

  /**
   * Checks the first code of an app, and uses it up. Wrong ones count like all others: who has a token of an account, but not its
   * password, must not confirm an app that its owner is adding.
   * @param account as it was read with its password
   * @param app of this account; it waits for its confirmation
   * @param sent of any type
   * @throws InvalidProofError; TooManyAttemptsError; ServiceUnavailableError
   */
  async confirm(account: StoredAccount, app: StoredApp, sent: unknown, caller: Caller): Promise<void> {
    await this.#counted(account, caller, () => this.#acceptCode(app, sent));
  }

  /** @throws PasswordBlockedError if the password of an account with a second factor opens nothing any more */
  async refuseBlocked(account: StoredAccount): Promise<void> {
    await this.#factorOf(account);
  }

  /**
   * The record that counts wrong codes: the app, or the recovery codes of an account without one.
   * @returns undefined if the account has passkeys alone
   * @throws PasswordBlockedError; ServiceUnavailableError if the record is gone: that is never a reason to ask for no second factor
   */
  async #factorOf(account: StoredAccount): Promise<StoredApp | StoredRecoveryCodes | undefined> {
    const { factors, areCodesLimited } = this.parts;
    const { app, codes } = factorsOf(account) ?? {};
    if (app === undefined && codes === undefined) {
      return undefined;
    }
    const factor = await (app === undefined ? factors.findCodes(codes ?? '') : factors.findApp(app));
    if (!factor || factor.accountId !== account._id) {
      throw new ServiceUnavailableError('the account names a second factor that is not stored');
    }
    const { wrong = 0, wrongSince = null } = factor;
    const isOfThisPassword = wrongSince === (account.passwordChange?.id ?? null);
    if (areCodesLimited && isOfThisPassword && wrong >= WRONG_BEFORE_BLOCK) {
      throw new PasswordBlockedError();
    }
    return factor;
  }

  /** Counts an attempt as wrong before it is made, and gives it back unless it was wrong. */
  async #counted<T>(account: StoredAccount, { ip }: Caller, attempt: () => Promise<T>): Promise<T> {
    const { actThrottle, knownPlaces } = this.parts;
    const knownPlace = knownPlaces.isKnownForCodes(account, ip) ? ip : undefined;
    const changeId = account.passwordChange?.id ?? null;
    const counted = await actThrottle.countCode(account._id, changeId, knownPlace);
    try {
      const result = await attempt();
      await Promise.all([counted.giveBack(), knownPlaces.addForCodes(account, ip)]);
      return result;
    } catch (error) {
      if (!(error instanceof InvalidProofError)) {
        await counted.giveBack();
      }
      throw error;
    }
  }

  async #check(
    account: StoredAccount,
    factor: StoredApp | StoredRecoveryCodes,
    proof: Proof,
    caller: Caller,
  ): Promise<readonly string[]> {
    if (isGiven(proof.code)) {
      if (factor.kind !== 'app') {
        throw new InvalidProofError(PROOF_TEXTS.wrongCode);
      }
      await this.#acceptCode(factor, proof.code);
      return AMR.code;
    }
    const { factors, notices } = this.parts;
    const digest = digestOfRecoveryCode(proof.recoveryCode);
    const left =
      digest === undefined ? undefined : await factors.spendCode(factorsOf(account)?.codes ?? '', digest);
    if (left === undefined) {
      throw new InvalidProofError(PROOF_TEXTS.wrongRecoveryCode);
    }
    await notices.order('recovery code used', account._id, caller, { left: String(left) });
    if (left === FEW_CODES) {
      await notices.order('few recovery codes', account._id, caller);
    }
    return AMR.recoveryCode;
  }

  async #acceptCode(app: StoredApp, sent: unknown): Promise<void> {
    const { factors, clock } = this.parts;
    const code = codeOf(sent);
    if (code === undefined) {
      throw new InvalidProofError(PROOF_TEXTS.wrongCode);
    }
    const step = stepOf(this.#cipher.decrypt(app, ownerOf(app)), code, clock.now());
    if (step === undefined) {
      throw new InvalidProofError(PROOF_TEXTS.wrongCode);
    }
    if (!(await factors.useStep(app._id, step))) {
      throw new InvalidProofError(PROOF_TEXTS.usedCode);
    }
  }

  /** The owner is proven by now, so a failure here does not become the answer. */
  async #encryptAgain(app: StoredApp): Promise<void> {
    try {
      if (this.#cipher.isOutdated(app)) {
        const secret = this.#cipher.decrypt(app, ownerOf(app));
        await this.parts.factors.replaceSecret(app, this.#cipher.encrypt(secret, ownerOf(app)));
      }
    } catch (err) {
      this.parts.log.warn({ err, accountId: app.accountId }, 'a secret was not encrypted with another line');
    }
  }

  /** @throws ServiceUnavailableError without TWO_FACTOR_SECRET */
  get #cipher(): SecretCipher {
    const { cipher } = this.parts;
    if (!cipher) {
      throw new ServiceUnavailableError('TWO_FACTOR_SECRET is not set');
    }
    return cipher;
  }
}

const ownerOf = ({ accountId, _id }: StoredApp) => ({ accountId, factorId: _id });
