import type { AccountStore, StoredAccount } from '../../stores/accounts.ts';
import type { ChallengePurpose, ChallengeStore, StoredChallenge } from '../../stores/challenges.ts';
import type { Clock } from '../../system/clock.ts';
import { InvalidChallengeError, InvalidProofError } from '../../system/errors.ts';
import type { Caller } from '../caller.ts';
import { boundTo, digestOfToken, isAccessUnchanged, isValidFor, randomLinkToken } from '../link-tokens.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';

/** Long enough to find a telephone. */
const LIFETIME_MILLIS = 600_000;
/** How many codes may be tried for one challenge, whatever RATE_LIMIT says. */
const MAX_TRIES = 5;

/** A challenge that can be used, and its account. */
interface FoundChallenge {
  challenge: StoredChallenge;
  account: StoredAccount;
}

/**
 * Challenges stand for a right password until the login is finished. Each is valid once, for ten minutes, until the next change of what gives
 * access to the account.
 */
export class LoginChallenges {
  constructor(
    private readonly challenges: ChallengeStore,
    private readonly accounts: AccountStore,
    private readonly throttle: LoginThrottle,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a challenge.
   * @param account as it was read with its password, which was right
   * @returns its plain text, the only copy
   */
  async make(
    account: StoredAccount,
    purpose: ChallengePurpose,
  ): Promise<{ challenge: string; expiresAt: Date }> {
    const challenge = randomLinkToken();
    const expiresAt = new Date(this.clock.now() + LIFETIME_MILLIS);
    await this.challenges.insert({
      _id: digestOfToken(challenge),
      ...boundTo(account),
      ...{ purpose, accessVersion: account.accessVersion ?? null, tries: 0, expiresAt },
    });
    return { challenge, expiresAt };
  }

  /**
   * Finds a challenge. One that is not valid counts with the failed logins from there, as an invalid link does.
   * @throws InvalidChallengeError if it is unknown, used, expired or for something else, or does not fit its account;
   *   TooManyAttemptsError
   */
  async find(presented: string, purpose: ChallengePurpose, { ip }: Caller): Promise<FoundChallenge> {
    const now = new Date(this.clock.now());
    const challenge = await this.challenges.find(digestOfToken(presented), purpose, now);
    const account = challenge && (await this.accounts.findWithPassword(challenge.accountId));
    if (!account || !isValidFor(challenge, account) || !isAccessUnchanged(challenge, account)) {
      await this.throttle.countSender(ip);
      throw new InvalidChallengeError();
    }
    return { challenge, account };
  }

  /**
   * Tries a code for a challenge, and counts that before.
   * @throws InvalidChallengeError after five wrong ones; what `attempt` throws
   */
  async try<T>({ _id }: StoredChallenge, attempt: () => Promise<T>): Promise<T> {
    if (!(await this.challenges.countTry(_id, MAX_TRIES))) {
      throw new InvalidChallengeError();
    }
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof InvalidProofError)) {
        await this.challenges.giveBackTry(_id);
      }
      throw error;
    }
  }

  /** @throws InvalidChallengeError if it was used meanwhile. Of simultaneous calls, one succeeds */
  async use({ _id }: StoredChallenge): Promise<void> {
    if (!(await this.challenges.use(_id, new Date(this.clock.now())))) {
      throw new InvalidChallengeError();
    }
  }
}
