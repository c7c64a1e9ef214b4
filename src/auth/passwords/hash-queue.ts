import type { Clock } from '../../system/clock.ts';
import { ServiceUnavailableError } from '../../system/errors.ts';
import { FairQueue } from '../../system/fair-queue.ts';
import { TurnBudget, type TurnLimits } from '../../system/turn-budget.ts';

/** The sender of the request that needs the work. */
export interface Requester {
  /** The address, by whose networks requesters take turns. */
  ip: string;
  /** Aborted when the result is no longer needed. */
  gone?: AbortSignal;
  /** True for somebody who is no stranger: a login from a place where the account has logged in before, the bearer of a token. */
  isKnown?: boolean;
}

/** Limits of the jobs that wait for their turn. */
export interface HashQueueLimits {
  /** For the jobs of strangers, for those of known requesters, and for those of known requesters beyond the turns of their network. */
  maxWaiting: number;
  /** Known requesters wait as long as it takes. */
  maxStrangerWaitMillis: number;
  /** How many jobs of known requesters come before strangers, for each address. */
  knownTurns: TurnLimits;
}

export const HASH_QUEUE_LIMITS: HashQueueLimits = {
  // Each holds its request, some 20 KB. A network that fills the queue loses its newest jobs to others (fair-queue.ts).
  maxWaiting: 1024,
  // Networks take turns, so a long wait means many jobs of one's own network, or a flood from very many. On the first morning
  // after an import nobody has a known place: two cores let 80 people of one address in within this time.
  maxStrangerWaitMillis: 10_000,
  // Everybody can register, and then knows a place, so the turns before strangers are few enough to leave most of two cores
  // (eight hashes a second) to strangers. A ward of 100 that logs in at once has them all.
  knownTurns: { atOnce: 150, perMinute: 60 },
};

/** Requests the work of the service itself. */
const SERVICE: Requester = { ip: '', isKnown: true };

/** Follows one job from its joining to its end. */
export interface JobWatch {
  /**
   * Called when the turn of the job has come.
   * @returns the result of `work`, which it runs
   */
  begin<T>(work: () => Promise<T>, waitMillis: number): Promise<T>;
  /** Called once; `error` is undefined on success. A job that never began has an error. */
  end(error?: unknown): void;
}

/** Who follows the jobs. */
export interface JobObservers {
  /** Called when a job starts, with the time that it has waited. */
  onBegin?: ((waitMillis: number) => void) | undefined;
  /** Called when a job joins. Without a result, nobody follows the job. */
  watch?: (() => JobWatch | undefined) | undefined;
}

interface HashQueueOptions extends JobObservers, HashQueueLimits {
  /** How many jobs run at a time. */
  concurrency: number;
  clock: Clock;
}

/** A job that waits for its turn. */
interface WaitingJob {
  /** Ends the wait: the turn has come. */
  start(): void;
  /** Ends the wait without a turn. */
  refuse(reason: unknown): void;
}

/** Waiting jobs, of which one is next. */
type JobSource = Pick<FairQueue<WaitingJob>, 'size' | 'next'>;

/** After so many jobs in a row of the source that comes first, the other one has its turn, and so an eighth of all. */
const FIRST_IN_A_ROW = 7;

/**
 * Runs password hashes, a few jobs at a time. Known requesters come first, and wait as long as it takes. Strangers wait for a limited
 * time. Everybody can become known, at a place of their own. So what known requesters of one network send beyond its budget comes
 * after strangers, and still waits as long as it takes. Among each of these three, networks take turns, and a network with many
 * jobs loses its newest when the queue is full.
 */
export class HashQueue {
  readonly #known: FairQueue<WaitingJob>;
  readonly #strangers: FairQueue<WaitingJob>;
  /** Jobs of known requesters beyond the budget of their network. */
  readonly #surplus: FairQueue<WaitingJob>;
  readonly #all: JobSource;
  readonly #budget: TurnBudget;
  #running = 0;

  constructor(private readonly options: HashQueueOptions) {
    const { maxWaiting, knownTurns, clock } = options;
    this.#known = new FairQueue(maxWaiting);
    this.#strangers = new FairQueue(maxWaiting);
    this.#surplus = new FairQueue(maxWaiting);
    this.#all = inPrecedence(this.#known, inPrecedence(this.#strangers, this.#surplus));
    this.#budget = new TurnBudget(knownTurns, clock);
  }

  /** How many jobs are running, and how many are waiting. */
  get depth(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#all.size };
  }

  /** True if even a known requester, whose network has no waiting job, would be refused. Strangers alone never fill the queue. */
  get isFull(): boolean {
    return this.#known.isFull;
  }

  /**
   * Runs a job when its turn has come.
   * @param requester when it is gone, a job that has not started leaves the queue
   * @throws ServiceUnavailableError when the job is displaced by those of other networks, or a stranger has waited for too
   *   long; the reason of `requester.gone`
   */
  async run<T>(work: () => Promise<T>, requester: Requester = SERVICE): Promise<T> {
    const watch = this.options.watch?.();
    if (!watch) {
      return this.#run(work, requester);
    }
    try {
      const result = await this.#run((waitMillis) => watch.begin(work, waitMillis), requester);
      watch.end();
      return result;
    } catch (error) {
      watch.end(error);
      throw error;
    }
  }

  async #run<T>(work: (waitMillis: number) => Promise<T>, requester: Requester): Promise<T> {
    const { clock, onBegin } = this.options;
    requester.gone?.throwIfAborted();
    const joinedAt = clock.elapsed();
    await this.#turnOf(requester);
    try {
      const waitMillis = clock.elapsed() - joinedAt;
      onBegin?.(waitMillis);
      return await work(waitMillis);
    } finally {
      this.#running -= 1;
      this.#startJobs();
    }
  }

  /** Resolves when the job may run. It then counts as running. A job that has started cannot be stopped, so it has no deadline. */
  #turnOf(requester: Requester): Promise<void> {
    const { clock, maxStrangerWaitMillis } = this.options;
    const { ip, gone, isKnown } = requester;
    const queue = this.#queueOf(requester);
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown) => {
        queue.remove(job);
        job.refuse(reason);
      };
      const tooLate = () => leave(this.#unavailable('the wait in the hash queue was too long'));
      const cancelDeadline = isKnown ? () => {} : clock.after(maxStrangerWaitMillis, tooLate);
      const leaveGone = () => leave(gone?.reason);
      gone?.addEventListener('abort', leaveGone);
      const endWait = () => {
        cancelDeadline();
        gone?.removeEventListener('abort', leaveGone);
      };
      const job: WaitingJob = {
        start: () => {
          endWait();
          resolve();
        },
        refuse: (reason) => {
          endWait();
          reject(reason);
        },
      };
      queue.add(job, ip)?.refuse(this.#unavailable('the hash queue is full'));
      this.#startJobs();
    });
  }

  #queueOf({ ip, isKnown }: Requester): FairQueue<WaitingJob> {
    if (!isKnown) {
      return this.#strangers;
    }
    // A job that starts at once delays nobody, so it takes nothing from the budget.
    const startsAtOnce = this.#running < this.options.concurrency;
    return startsAtOnce || this.#budget.take(ip) ? this.#known : this.#surplus;
  }

  #startJobs(): void {
    while (this.#running < this.options.concurrency) {
      const job = this.#all.next();
      if (!job) {
        return;
      }
      this.#running += 1;
      job.start();
    }
  }

  /** The log shows how long the queue was. */
  #unavailable(reason: string): ServiceUnavailableError {
    const { running, waiting } = this.depth;
    return new ServiceUnavailableError(`${reason}: ${waiting} waiting, ${running} running`);
  }
}

/** Both sources as one. While both have jobs, the second has every eighth turn. */
function inPrecedence(first: JobSource, second: JobSource): JobSource {
  let inARow = 0;
  return {
    get size() {
      return first.size + second.size;
    },
    next() {
      const job = inARow < FIRST_IN_A_ROW || second.size === 0 ? first.next() : undefined;
      inARow = job ? inARow + 1 : 0;
      return job ?? second.next();
    },
  };
}
