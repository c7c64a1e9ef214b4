import { emailKey } from '../../stores/email-key.ts';
import { InvalidCredentialsError } from '../../system/errors.ts';
import { senderOf } from '../../system/networks.ts';
import type { AttemptCounter, CreateCounter } from './attempt-counters.ts';
import {
  type CheckedCount,
  type Count,
  type Counted,
  type CountedAct,
  checkAll,
  counterMaker,
  countOnce,
  countStages,
  digest,
  GUESS_MULTIPLES,
  giveBack,
  keyOf,
  limitsOf,
  networkCounts,
  present,
  refuseFull,
  type ThrottleLimits,
} from './throttle-limits.ts';

/** The keys that a login attempt is counted by. */
export interface LoginAttempt {
  email: string;
  /** The caller's address. */
  ip: string;
}

/** A link that sets a new password, or one that proves an e-mail. */
type LinkKind = 'reset' | 'email';

/** True if a login to the e-mail has succeeded from this address before. An unknown e-mail takes the same work. */
type IsKnownPlace = (attempt: LoginAttempt) => Promise<boolean>;

/** A login attempt that counts as failed until its outcome is known. */
export interface CountedLogin {
  /** True if a login to the e-mail has succeeded from this address before. */
  isKnownPlace: boolean;
  /**
   * The password was right. The earlier failures of this pair were typing errors.
   * @throws TooManyAttemptsError for a login, if its account has used up its right ones
   */
  succeeded(): Promise<void>;
  /**
   * Keeps the count of a wrong guess. After any other error the attempt is given back, because nothing was guessed. After
   * {@link succeeded} it does nothing.
   */
  failed(error: unknown): Promise<void>;
}

/** Counts logins and what belongs to them in the service layer, so that both APIs, aliases and batches count alike (OWASP ASVS 6.3.1). */
export class LoginThrottle {
  readonly #networksOf: (ip: string) => Count[];
  readonly #byPair: AttemptCounter | undefined;
  readonly #byKnownPair: AttemptCounter | undefined;
  readonly #byEmail: AttemptCounter | undefined;
  readonly #linkRequests: Record<LinkKind, AttemptCounter | undefined>;
  readonly #rightLogins: AttemptCounter | undefined;

  /**
   * @param createCounter where the counts are kept
   * @param isKnownPlace finds the attempts that strangers' failures must not block
   */
  constructor(
    limits: ThrottleLimits,
    createCounter: CreateCounter,
    private readonly isKnownPlace: IsKnownPlace,
  ) {
    const create = counterMaker(createCounter);
    this.#networksOf = networkCounts(create, limits.addressLoginsPerMinute, (level) => level);
    const ofPair = limitsOf(limits.loginsPerMinute, GUESS_MULTIPLES);
    this.#byPair = create('pair', ofPair);
    this.#byKnownPair = create('known-pair', ofPair);
    this.#byEmail = create('email', limitsOf(limits.emailLoginsPerMinute, GUESS_MULTIPLES));
    // A request sends a mail, and nobody has proved that an account's e-mail is theirs.
    this.#linkRequests = {
      reset: create('reset-requests', ofPair),
      email: create('email-link-requests', ofPair),
    };
    this.#rightLogins = create('right-logins', limits.rightLogins);
  }

  /**
   * Counts a login as failed before it is tried, so that simultaneous guesses cannot exceed a limit together. Right logins count
   * by account, never by network: a hospital is one address. Each place where a login has succeeded has a count of its own, so that
   * a thief of the password cannot use up those of the owner. An account that has used them up is refused before it costs a hash.
   * @returns the counted attempt. The caller must report its outcome
   * @throws TooManyAttemptsError
   */
  countLogin(attempt: LoginAttempt): Promise<CountedLogin> {
    return this.#begin(attempt, this.#rightLogins);
  }

  /**
   * Counts a check of the password of somebody who is logged in, together with the failed logins.
   * @returns and throws like {@link countLogin}
   */
  countOwnPassword(attempt: LoginAttempt): Promise<CountedLogin> {
    return this.#begin(attempt, undefined);
  }

  /** @param ofSuccess counts right passwords */
  async #begin(attempt: LoginAttempt, ofSuccess: AttemptCounter | undefined): Promise<CountedLogin> {
    const { counted, isKnownPlace, success } = await this.#count(attempt, ofSuccess);
    let hasSucceeded = false;
    return {
      isKnownPlace,
      succeeded: async () => {
        hasSucceeded = true;
        await Promise.all([this.#forgive(counted), countStages([success])]);
      },
      failed: async (error) => {
        if (!hasSucceeded && !(error instanceof InvalidCredentialsError)) {
          // If the database does not answer, the attempt stays counted, for a day at most.
          await giveBack(counted).catch(() => {});
        }
      },
    };
  }

  /** The caller knows the password, so the failures of this pair are forgotten. */
  async #forgive(counted: Counted[]): Promise<void> {
    const isOfPair = ({ counter }: Counted) => counter === this.#byPair || counter === this.#byKnownPair;
    const pair = counted.filter(isOfPair);
    const others = counted.filter((each) => !isOfPair(each));
    await Promise.all([giveBack(others), ...pair.map(({ counter, key }) => counter.forget(key))]);
  }

  /**
   * Counts an attempt at the networks of its sender, together with the failed logins from there, and at no e-mail: strangers
   * must not use up the attempts of its owner.
   * @throws TooManyAttemptsError
   */
  async countSender(ip: string): Promise<void> {
    await countOnce(this.#networksOf(ip));
  }

  /**
   * Counts a request for a mailed link like {@link countSender}, and by the e-mail and the place of its sender: one stranger must not
   * fill a mailbox, nor use up the requests of its owner, who is at another place. The kinds must not use each other up.
   * @param request with the e-mail that gets the link
   * @throws TooManyAttemptsError
   */
  countLinkRequest(kind: LinkKind, { email, ip }: LoginAttempt): Promise<CountedAct> {
    const counter = this.#linkRequests[kind];
    const pair = present([{ counter, key: pairKey(email, senderOf(ip)) }]);
    return countOnce([...this.#networksOf(ip), ...pair]);
  }

  /**
   * Forgets the failures of an e-mail from one address, and its right logins from all. Its owner has a new password, and may have tried
   * the old one often; whoever has the old one may have used up the right logins.
   */
  async afterNewPassword({ email, ip }: LoginAttempt): Promise<void> {
    const { own, pair } = this.#countsOf({ email, ip });
    const forgotten = [...own, ...pair].map(({ counter, key }) => counter.forget(key));
    await Promise.all([...forgotten, this.#rightLogins?.forgetAll(digest(emailKey(email)))]);
  }

  /**
   * Counts an attempt, unless it is refused. Strangers must not keep the owner of an account out: at a place where a login
   * has succeeded before, only failures from that place count. A stranger's attempt is counted by the e-mail last, after
   * the stranger's own counts. So a stranger who has reached those limits cannot use up the e-mail's limit, not even for a moment.
   */
  async #count(attempt: LoginAttempt, counter: AttemptCounter | undefined): Promise<CountedAttempt> {
    const { own, pair, networks, email } = this.#countsOf(attempt);
    const known = present([{ counter, key: pairKey(attempt.email, attempt.ip) }]);
    const unknown = present([{ counter, key: digest(emailKey(attempt.email)) }]);
    const checks = [known, unknown, own, pair, networks, email].map(checkAll);
    const [isKnownPlace, [ofKnown = [], ofUnknown = [], ofOwn = [], ...ofStranger]] = await Promise.all([
      this.isKnownPlace(attempt),
      Promise.all(checks),
    ]);
    const success = isKnownPlace ? ofKnown : ofUnknown;
    refuseFull(success);
    // Without a limit on one place, a known place has no count of its own.
    const stages = isKnownPlace && own.length > 0 ? [ofOwn] : ofStranger;
    return { counted: await countStages(stages), isKnownPlace, success };
  }

  /**
   * The counts of an attempt. A stranger shares the limit of the pair with the whole IPv6 block. It is a third of the
   * e-mail's limit, so no single line or site can use that up.
   */
  #countsOf({ email, ip }: LoginAttempt) {
    return {
      own: present([{ counter: this.#byKnownPair, key: pairKey(email, ip) }]),
      pair: present([{ counter: this.#byPair, key: pairKey(email, senderOf(ip)) }]),
      networks: this.#networksOf(ip),
      email: present([{ counter: this.#byEmail, key: digest(emailKey(email)) }]),
    };
  }
}

/** An attempt that was counted, and the counts that its success will have. */
interface CountedAttempt {
  counted: Counted[];
  isKnownPlace: boolean;
  success: CheckedCount[];
}

const pairKey = (email: string, place: string): string => keyOf(emailKey(email), place);
