import { ServiceUnavailableError } from '../../errors/errors.ts';
import type { Clock } from '../../system/clock.ts';
import { FairQueue } from '../../system/networks/fair-queue.ts';

/** The sender of the request that needs the work. */
export interface Requester {
  /** The address, by whose networks requesters take turns. */
  ip: string;
  /** Aborted when the result is no longer needed. */
  gone?: AbortSignal;
  /** True for somebody who is no stranger: a login from a place where the account has logged in before, the bearer of a token. */
  isKnown?: boolean;
}

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

interface WorkQueueOptions extends JobObservers {
  /** How many jobs run at a time. */
  concurrency: number;
  /** How many jobs of known requesters may wait, and how many of strangers. */
  maxWaiting: number;
  /** How long the job of a stranger may wait for its start. */
  maxStrangerWaitMillis: number;
  clock: Clock;
}

/** A job that waits for its turn. */
interface WaitingJob {
  /** Ends the wait: the turn has come. */
  start(): void;
  /** Ends the wait without a turn. */
  refuse(reason: unknown): void;
}

/** After so many jobs of known requesters in a row, a stranger has its turn. So a flood of strangers slows others down by an eighth. */
const KNOWN_IN_A_ROW = 7;

/**
 * Runs costly work, a few jobs at a time. Known requesters come first, and wait as long as it takes. Strangers wait for a limited
 * time. Among each of them, networks take turns, and a network with many jobs loses its newest when all places are taken.
 */
export class WorkQueue {
  readonly #known: FairQueue<WaitingJob>;
  readonly #strangers: FairQueue<WaitingJob>;
  #running = 0;
  /** Jobs of known requesters that have started since the last one of a stranger. */
  #knownInARow = 0;

  constructor(private readonly options: WorkQueueOptions) {
    this.#known = new FairQueue(options.maxWaiting);
    this.#strangers = new FairQueue(options.maxWaiting);
  }

  /** How many jobs are running, and how many are waiting. */
  get depth(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#known.size + this.#strangers.size };
  }

  /** True if even a known requester, whose network has no waiting job, would be refused. Strangers alone never fill the queue. */
  get isFull(): boolean {
    return this.#known.isFull;
  }

  /**
   * Runs a job when its turn has come.
   * @param requester when it is gone, a job that has not started leaves the queue
   * @throws ServiceUnavailableError when the job loses its place to those of other networks, or a stranger has waited for too
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
  #turnOf({ ip, gone, isKnown = false }: Requester): Promise<void> {
    const { clock, maxStrangerWaitMillis } = this.options;
    const queue = isKnown ? this.#known : this.#strangers;
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

  #startJobs(): void {
    while (this.#running < this.options.concurrency) {
      const job = this.#nextJob();
      if (!job) {
        return;
      }
      this.#running += 1;
      job.start();
    }
  }

  #nextJob(): WaitingJob | undefined {
    const known =
      this.#knownInARow < KNOWN_IN_A_ROW || this.#strangers.size === 0 ? this.#known.next() : undefined;
    this.#knownInARow = known ? this.#knownInARow + 1 : 0;
    return known ?? this.#strangers.next();
  }

  /** The log shows how long the queue was. */
  #unavailable(reason: string): ServiceUnavailableError {
    const { running, waiting } = this.depth;
    return new ServiceUnavailableError(`${reason}: ${waiting} waiting, ${running} running`);
  }
}
