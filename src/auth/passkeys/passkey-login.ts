import type { StoredAccount } from '../../stores/accounts.ts';
import { InvalidCredentialsError, InvalidPasskeyError, NoPasskeysError } from '../../system/errors.ts';
import type { AuditSubject, AuditTrail, Recorded } from '../audit/audit-trail.ts';
import type { RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import type { PasswordChanges } from '../passwords/password-changes.ts';
import type { Authenticated } from '../registration.ts';
import type { SessionIssuer } from '../session-issuer.ts';
import { AMR } from '../tokens/assurance.ts';
import type { CeremonyOptions } from './ceremonies.ts';
import type { PasskeyProofs, PasskeyTools } from './passkey-proofs.ts';

interface PasskeyLoginParts {
  /** undefined without PASSKEY_RP_ID: then there are no passkeys here. */
  passkeyTools: PasskeyTools | undefined;
  passkeyProofs: PasskeyProofs;
  sessionIssuer: SessionIssuer;
  passwordChanges: PasswordChanges;
  acts: RecordedActs;
  audit: AuditTrail;
}

/** The login with a passkey. It is complete, whatever else the account has. */
export class PasskeyLogin {
  constructor(private readonly parts: PasskeyLoginParts) {}

  /**
   * The options of a login, for anybody. Nothing is stored.
   * @throws NoPasskeysError
   */
  async options(): Promise<CeremonyOptions> {
    const { ceremonies, challenges } = this.#on();
    return ceremonies.useOptions(challenges.make('login'));
  }

  /**
   * Logs in, and records the outcome.
   * @param credential of any type
   * @throws NoPasskeysError; InvalidPasskeyError, always with the same text; TooManyAttemptsError, ServiceUnavailableError
   */
  async run(credential: unknown, caller: Caller): Promise<Authenticated> {
    this.#on();
    return this.parts.acts.complete(caller, () => this.#logIn(credential, caller));
  }

  async #logIn(credential: unknown, caller: Caller): Promise<Recorded<Authenticated>> {
    const { passkeyProofs, sessionIssuer, passwordChanges, audit } = this.parts;
    const subject: AuditSubject = { act: 'login' };
    try {
      const accept = (account: StoredAccount) => sessionIssuer.refuseUnfit(account, caller);
      const account = await passkeyProofs.proveLogin(credential, subject, accept, caller);
      await passwordChanges.finish(account);
      return await sessionIssuer.open(account, AMR.passkey, subject, caller);
    } catch (error) {
      // An account that may not log in gets no other answer than a passkey that is not accepted.
      const refusal =
        error instanceof InvalidCredentialsError ? new InvalidPasskeyError(error.detail ?? '') : error;
      void audit.write(subject, caller, refusal);
      throw refusal;
    }
  }

  /** @throws NoPasskeysError */
  #on(): PasskeyTools {
    const { passkeyTools } = this.parts;
    if (!passkeyTools) {
      throw new NoPasskeysError();
    }
    return passkeyTools;
  }
}
