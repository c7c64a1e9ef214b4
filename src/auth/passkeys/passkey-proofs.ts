import { type AccountStore, passkeysOf, type StoredAccount } from '../../stores/accounts.ts';
import type { PasskeyStore, StoredPasskey } from '../../stores/passkeys.ts';
import type { Clock } from '../../system/clock.ts';
import { InvalidPasskeyError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { AuditSubject, AuditTrail } from '../audit/audit-trail.ts';
import { nameAccount } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { KnownPlaces } from '../throttle/known-places.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import type { Ceremonies, VerifiedUse } from './ceremonies.ts';
import type { PasskeyChallenges } from './passkey-challenges.ts';
import { bytesOf, type PresentedPasskey, readPasskeyUse } from './presented-passkey.ts';

/** What passkeys need, if they are set up. */
export interface PasskeyTools {
  ceremonies: Ceremonies;
  challenges: PasskeyChallenges;
  /** PASSKEY_RP_ID. */
  rpId: string;
}

interface PasskeyProofsParts {
  /** undefined without PASSKEY_RP_ID. */
  passkeyTools: PasskeyTools | undefined;
  passkeys: PasskeyStore;
  accounts: AccountStore;
  loginThrottle: LoginThrottle;
  knownPlaces: KnownPlaces;
  audit: AuditTrail;
  clock: Clock;
  log: Logger;
}

/** Whose passkey is expected, and what for. */
interface Expectation {
  /** The account that must have it; undefined for a login. */
  accountId?: string;
  /** Gets the account as soon as it is known; the event of a proof has it already. */
  subject?: AuditSubject;
  /** Called when the passkey is verified, and before anything is written. */
  accept?: (account: StoredAccount) => Promise<void>;
}

const UNKNOWN = () => new InvalidPasskeyError('unknown passkey', true);

/** Verifies the use of passkeys: at a login, and in place of a password. */
export class PasskeyProofs {
  constructor(private readonly parts: PasskeyProofsParts) {}

  /** The passkeys of an account that work: none without PASSKEY_RP_ID. */
  idsOf(account: StoredAccount): readonly string[] {
    return this.parts.passkeyTools ? passkeysOf(account).ids : [];
  }

  /**
   * Proves who logs in.
   * @param presented of any type
   * @param subject gets the account as soon as it is known
   * @param accept may refuse the account
   * @returns the account, as it is read with its password
   * @throws InvalidPasskeyError, always with the same text; TooManyAttemptsError; what `accept` throws
   */
  proveLogin(
    presented: unknown,
    subject: AuditSubject,
    accept: (account: StoredAccount) => Promise<void>,
    caller: Caller,
  ): Promise<StoredAccount> {
    return this.#counted(caller, () => this.#prove(presented, { subject, accept }, caller));
  }

  /**
   * Proves somebody who is logged in, in place of a password and a second factor.
   * @param presented of any type
   * @returns and throws like {@link proveLogin}
   */
  confirm(accountId: string, presented: unknown, caller: Caller): Promise<StoredAccount> {
    return this.#counted(caller, () => this.#prove(presented, { accountId }, caller));
  }

  /** Failures count where they come from: nobody must be able to use up the attempts of an account. */
  async #counted<T>({ ip }: Caller, prove: () => Promise<T>): Promise<T> {
    return prove().catch(async (error: unknown) => {
      if (error instanceof InvalidPasskeyError) {
        await this.parts.loginThrottle.countSender(ip);
      }
      throw error;
    });
  }

  async #prove(sent: unknown, expected: Expectation, caller: Caller): Promise<StoredAccount> {
    const { passkeyTools, passkeys, clock } = this.parts;
    if (!passkeyTools) {
      throw new InvalidPasskeyError('there are no passkeys here');
    }
    const presented = readPasskeyUse(sent);
    const { passkey, account } = await this.#find(presented.credential.id, expected);
    this.#checkHandle(presented, account, expected);
    const [purpose, owner] =
      expected.accountId === undefined ? (['login'] as const) : (['confirm', account] as const);
    const challenge = passkeyTools.challenges.read(presented.clientData.challenge, purpose, owner);
    const use = await passkeyTools.ceremonies.verifyUse(presented, passkey.publicKey);
    this.#checkUse(passkey, use, account, caller);
    if (account.disabledAt) {
      throw new InvalidPasskeyError('disabled account');
    }
    await expected.accept?.(account);
    await passkeyTools.challenges.use(challenge);
    const { counter, isBackedUp } = use;
    if (!(await passkeys.noteUse(passkey._id, { counter, isBackedUp, at: new Date(clock.now()) }))) {
      throw UNKNOWN();
    }
    await this.parts.knownPlaces.addForCodes(account, caller.ip);
    return account;
  }

  async #find(credentialId: string, { accountId, subject }: Expectation) {
    const { passkeys, accounts } = this.parts;
    const passkey = await passkeys.findByCredential(credentialId);
    const account = passkey && (await accounts.findWithPassword(passkey.accountId));
    if (!account || !passkeysOf(account).ids.includes(passkey._id)) {
      throw UNKNOWN();
    }
    if (accountId !== undefined && account._id !== accountId) {
      throw new InvalidPasskeyError('the passkey of another account');
    }
    if (subject) {
      nameAccount(subject, account);
    }
    return { passkey, account };
  }

  /** WebAuthn section 7.2, step 6. A login needs it: nobody has said who logs in. */
  #checkHandle({ parts }: PresentedPasskey, account: StoredAccount, { accountId }: Expectation): void {
    const { handle } = passkeysOf(account);
    const { userHandle } = parts;
    const isMissing = userHandle === undefined && accountId !== undefined;
    const isOwn =
      userHandle !== undefined &&
      handle !== null &&
      Buffer.from(handle, 'base64url').equals(bytesOf(userHandle));
    if (!isMissing && !isOwn) {
      throw new InvalidPasskeyError('another user handle');
    }
  }

  /**
   * A counter that goes back may be that of a copy. Authenticators that can be copied have none that means anything, and a counter of 0 is
   * none (WebAuthn sections 6.1.1 and 6.1.3).
   */
  #checkUse(passkey: StoredPasskey, use: VerifiedUse, account: StoredAccount, caller: Caller): void {
    const { audit, log } = this.parts;
    if (use.isBackupEligible !== passkey.isBackupEligible) {
      throw new InvalidPasskeyError('another kind of authenticator');
    }
    const hasCounter = use.counter > 0 || passkey.counter > 0;
    if (!hasCounter || use.counter > passkey.counter) {
      return;
    }
    const [accountId, cause] = [account._id, 'went back'];
    log.warn({ accountId, passkeyId: passkey._id }, 'the counter of a passkey went back: it may have a copy');
    void audit.write({ act: 'passkey counter', accountId, email: account.email, cause }, caller);
    if (!passkey.isBackupEligible) {
      throw new InvalidPasskeyError('the counter went back');
    }
  }
}
