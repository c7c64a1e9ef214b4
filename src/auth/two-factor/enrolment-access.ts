import { type Account, type AccountStore, type StoredAccount, toAccount } from '../../stores/accounts.ts';
import type { StoredChallenge } from '../../stores/challenges.ts';
import { broken } from '../../system/error-details.ts';
import { UnauthenticatedError, ValidationError } from '../../system/errors.ts';
import type { Caller } from '../caller.ts';
import type { Features } from '../features.ts';
import type { Need } from '../tokens/abilities.ts';
import { AUTH_TOKEN, type TokenKind } from '../tokens/access-tokens.ts';
import type { Sessions } from '../tokens/sessions.ts';
import type { LoginChallenges } from './login-challenges.ts';

/** Who may set up a second factor. Only {@link EnrolmentAccess} makes one. */
class AdmittedCaller {
  /** No other object of this form is one. */
  declare protected readonly admitted: true;

  constructor(
    readonly account: Account,
    /** Of the token that a new one takes the place of. */
    readonly kind: TokenKind,
    /** The challenge, if one was presented. */
    readonly use?: StoredChallenge,
  ) {}
}

export type AdmittedEnrolment = AdmittedCaller;

/** Says who may set up a second factor, whether it is an app or a passkey. */
export class EnrolmentAccess {
  constructor(
    private readonly accounts: AccountStore,
    private readonly sessions: Sessions,
    private readonly challenges: LoginChallenges,
    private readonly features: Features,
  ) {}

  /**
   * The account of the presented token, or of a challenge to set up a second factor, which takes its place.
   * @throws what {@link Sessions.authorize} throws; InvalidChallengeError, TooManyAttemptsError
   */
  async authorize(need: Need, challenge: string | undefined, caller: Caller): Promise<AdmittedEnrolment> {
    if (challenge === undefined) {
      const { account, token } = await this.sessions.authorize(need, caller);
      return new AdmittedCaller(account, { name: token.name, abilities: token.abilities });
    }
    this.features.demand(need.feature);
    const found = await caller.timeBudget.within(() => this.challenges.find(challenge, 'setup', caller));
    return new AdmittedCaller(toAccount(found.account), AUTH_TOKEN, found.challenge);
  }

  /** @throws UnauthenticatedError if the account is gone or disabled meanwhile */
  async read({ id }: Pick<Account, 'id'>): Promise<StoredAccount> {
    const stored = await this.accounts.findWithPassword(id);
    if (!stored || stored.disabledAt) {
      throw new UnauthenticatedError();
    }
    return stored;
  }

  /**
   * Where e-mails are proven, a new factor needs a proven one: otherwise a lost factor locks its owner out.
   * @throws ValidationError on `email`
   */
  demandProvenEmail({ emailVerifiedAt }: Account): void {
    if (this.features.has('e-mail links') && emailVerifiedAt === null) {
      throw new ValidationError({ email: broken('state', 'Your email address is not verified.') });
    }
  }
}
