import { type Account, type AccountStore, type StoredAccount, toAccount } from '../../stores/accounts.ts';
import type { StoredChallenge } from '../../stores/challenges.ts';
import { broken } from '../../system/error-details.ts';
import { UnauthenticatedError, ValidationError } from '../../system/errors.ts';
import type { Caller } from '../caller.ts';
import type { TokenAct } from '../tokens/abilities.ts';
import { AUTH_TOKEN, type TokenKind } from '../tokens/access-tokens.ts';
import type { Sessions } from '../tokens/sessions.ts';
import type { LoginChallenges } from './login-challenges.ts';

/** In place of an access token: the challenge of a login that a policy has refused. */
export interface EnrolmentCredentials {
  challenge?: string | undefined;
}

/** Who may set up a second factor. */
export interface AdmittedEnrolment {
  account: Account;
  /** Of the token that a new one takes the place of. */
  kind: TokenKind;
  /** The challenge, if one was presented. */
  use?: StoredChallenge;
}

/** Says who may set up a second factor, whether it is an app or a passkey. */
export class EnrolmentAccess {
  /** @param isProofAsked true if e-mails are proven here: then a new factor needs a proven one, or a lost factor locks its owner out */
  constructor(
    private readonly accounts: AccountStore,
    private readonly sessions: Sessions,
    private readonly challenges: LoginChallenges,
    private readonly isProofAsked: boolean,
  ) {}

  /**
   * The account of the presented token, or of a challenge to set up a second factor, which takes its place.
   * @throws UnauthenticatedError, MissingAbilityError; InvalidChallengeError, TooManyAttemptsError
   */
  async authorize(act: TokenAct, challenge: string | undefined, caller: Caller): Promise<AdmittedEnrolment> {
    if (challenge === undefined) {
      const { account, token } = await this.sessions.authorize(act, caller);
      return { account, kind: { name: token.name, abilities: token.abilities } };
    }
    const found = await caller.timeBudget.within(() => this.challenges.find(challenge, 'setup', caller));
    return { account: toAccount(found.account), kind: AUTH_TOKEN, use: found.challenge };
  }

  /** @throws UnauthenticatedError if the account is gone or disabled meanwhile */
  async read({ id }: Pick<Account, 'id'>): Promise<StoredAccount> {
    const stored = await this.accounts.findWithPassword(id);
    if (!stored || stored.disabledAt) {
      throw new UnauthenticatedError();
    }
    return stored;
  }

  /** @throws ValidationError on `email` */
  demandProvenEmail({ emailVerifiedAt }: Account): void {
    if (this.isProofAsked && emailVerifiedAt === null) {
      throw new ValidationError({ email: broken('state', 'Your email address is not verified.') });
    }
  }
}
