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

interface WorkQueueOptions {
  /** How many jobs run at a time. */
  concurrency: number;
  /** How many jobs may wait. */
  maxWaiting: number;
  /** How long a job may wait for its start. */
  maxWaitMillis: number;
  clock: Clock;
  /** Called when a job starts, with the time that it has waited. */
  onBegin?: ((waitMillis: number) => void) | undefined;
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
  async run<T>(work: () => Promise<T>, { ip, gone }: Requester = SERVICE): Promise<T> {
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
      onBegin?.(clock.elapsed() - joinedAt);
      return work();
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
