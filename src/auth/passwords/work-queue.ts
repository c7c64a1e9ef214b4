import PQueue from 'p-queue';
import { ServiceUnavailableError } from '../../errors/errors.ts';
import type { Clock } from '../../system/clock.ts';

/** The sender of the request that needs the work. */
export interface Requester {
  /** The address, by which requesters take turns. */
  ip: string;
  /** Aborted when the result is no longer needed. */
  gone?: AbortSignal;
}

/** Requests the work of the service itself. */
const SERVICE: Requester = { ip: '' };

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
  /** How many jobs may wait. */
  maxWaiting: number;
  /** How long a job may wait for its start. */
  maxWaitMillis: number;
  clock: Clock;
}

/** Runs costly work, a few jobs at a time. Rejects new work at once when the queue is full. */
export class WorkQueue {
  readonly #queue: PQueue;
  /** Requesters with waiting jobs: how many, and the turn of the last one. */
  readonly #requesters = new Map<string, { waiting: number; lastTurn: number }>();
  /** The turn of the job that was started last. The next job of a requester gets a later turn than this and its own last. */
  #turn = 0;

  constructor(private readonly options: WorkQueueOptions) {
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  /** How many jobs are running, and how many are waiting. */
  get depth(): { running: number; waiting: number } {
    return { running: this.#queue.pending, waiting: this.#queue.size };
  }

  /** True if the next job would be rejected. */
  get isFull(): boolean {
    return this.#queue.size >= this.options.maxWaiting;
  }

  /**
   * Runs a job when its turn has come. Requesters take turns: one with many waiting jobs delays only its own.
   * @param requester when it is gone, a job that has not started leaves the queue
   * @throws ServiceUnavailableError when the queue is full or the wait was too long; the reason of `requester.gone`
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

  async #run<T>(work: (waitMillis: number) => Promise<T>, { ip, gone }: Requester): Promise<T> {
    const { clock, maxWaitMillis, onBegin } = this.options;
    gone?.throwIfAborted();
    if (this.isFull) {
      throw this.#unavailable('the hash queue is full');
    }
    // Only the wait can be ended. A job that has started cannot be stopped, so its place must stay taken.
    const waiting = new AbortController();
    const leave = () => waiting.abort(gone?.reason);
    const cancelDeadline = clock.after(maxWaitMillis, () =>
      waiting.abort(this.#unavailable('the wait in the hash queue was too long')),
    );
    gone?.addEventListener('abort', leave);
    const turn = this.#join(ip);
    const joinedAt = clock.elapsed();
    let isWaiting = true;
    const endWait = () => {
      if (isWaiting) {
        this.#leave(ip);
      }
      isWaiting = false;
      cancelDeadline();
      gone?.removeEventListener('abort', leave);
    };
    const begin = () => {
      endWait();
      this.#turn = turn;
      const waitMillis = clock.elapsed() - joinedAt;
      onBegin?.(waitMillis);
      return work(waitMillis);
    };
    return this.#queue.add(begin, { signal: waiting.signal, priority: -turn }).finally(endWait);
  }

  /** @returns the turn of the requester's new job */
  #join(ip: string): number {
    const { waiting, lastTurn } = this.#requesters.get(ip) ?? { waiting: 0, lastTurn: 0 };
    const turn = Math.max(this.#turn, lastTurn) + 1;
    this.#requesters.set(ip, { waiting: waiting + 1, lastTurn: turn });
    return turn;
  }

  #leave(ip: string): void {
    const requester = this.#requesters.get(ip);
    if (!requester) {
      return;
    }
    requester.waiting -= 1;
    if (requester.waiting === 0) {
      this.#requesters.delete(ip);
    }
  }

  /** The log shows how long the queue was. */
  #unavailable(reason: string): ServiceUnavailableError {
    const { running, waiting } = this.depth;
    return new ServiceUnavailableError(`${reason}: ${waiting} waiting, ${running} running`);
  }
}
