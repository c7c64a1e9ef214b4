import PQueue from 'p-queue';
import { ServiceUnavailableError } from '../../errors/errors.ts';
import { type Patience, STANDSTILL_MILLIS } from '../patience.ts';

/** For whom work is done. */
export interface Client {
  /** What tells clients apart: their address. */
  ip: string;
  /** Aborted when nobody waits for the result any more. */
  gone?: AbortSignal;
  /** Of which work with a limit of its own takes nothing. */
  patience?: Patience;
}

/** Work of the service's own. */
const NOBODY: Client = { ip: '' };

/** Runs costly work a few at a time. Who cannot be served soon is told so at once, instead of waiting in vain. */
export class WorkQueue {
  readonly #queue: PQueue;
  /** Clients with work waiting: how much, and the turn of the last of it. */
  readonly #clients = new Map<string, { waiting: number; lastTurn: number }>();
  /** The turn of what was begun last. Everybody's next work is one turn later, or later than their own last. */
  #turn = 0;

  /**
   * @param concurrency how many run at a time
   * @param maxWaiting how many may wait
   * @param maxWaitMillis how long each may wait to be started
   * @param onBegin is told how long it was
   */
  constructor(
    concurrency: number,
    private readonly maxWaiting: number,
    private readonly maxWaitMillis: number,
    private readonly onBegin: (waitMillis: number) => void = () => {},
  ) {
    this.#queue = new PQueue({ concurrency });
  }

  /** How much is being worked on, and how much is waiting for it. */
  get depth(): { running: number; waiting: number } {
    return { running: this.#queue.pending, waiting: this.#queue.size };
  }

  /** Whether whoever comes next is refused. */
  get isFull(): boolean {
    return this.#queue.size >= this.maxWaiting;
  }

  /**
   * Does work when its turn has come. Clients take turns: one that has much waiting holds up nobody but itself.
   * @param client when it is gone, work that has not begun leaves the queue
   * @throws ServiceUnavailableError when the queue is full, or the wait was too long; the reason of `client.gone`
   */
  async run<T>(work: () => Promise<T>, { ip, gone }: Client = NOBODY): Promise<T> {
    gone?.throwIfAborted();
    if (this.isFull) throw this.#unavailable('the hash queue is full');
    // Only the wait can be ended. Work that has begun cannot be stopped, so its place must not be given away.
    const waiting = new AbortController();
    const leave = () => waiting.abort(gone?.reason);
    const cancelDeadline = afterRunning(this.maxWaitMillis, () =>
      waiting.abort(this.#unavailable('the wait in the hash queue was too long')),
    );
    gone?.addEventListener('abort', leave);
    const turn = this.#join(ip);
    const joinedAt = performance.now();
    let isWaiting = true;
    const endWait = () => {
      if (isWaiting) this.#leave(ip);
      isWaiting = false;
      cancelDeadline();
      gone?.removeEventListener('abort', leave);
    };
    const begin = () => {
      endWait();
      this.#turn = turn;
      this.onBegin(performance.now() - joinedAt);
      return work();
    };
    return this.#queue.add(begin, { signal: waiting.signal, priority: -turn }).finally(endWait);
  }

  /** @returns the turn that a client's next work gets */
  #join(ip: string): number {
    const { waiting, lastTurn } = this.#clients.get(ip) ?? { waiting: 0, lastTurn: 0 };
    const turn = Math.max(this.#turn, lastTurn) + 1;
    this.#clients.set(ip, { waiting: waiting + 1, lastTurn: turn });
    return turn;
  }

  #leave(ip: string): void {
    const client = this.#clients.get(ip);
    if (client) client.waiting -= 1;
    if (client?.waiting === 0) this.#clients.delete(ip);
  }

  /** The log tells how deep the queue is. */
  #unavailable(reason: string): ServiceUnavailableError {
    const { running, waiting } = this.depth;
    return new ServiceUnavailableError(`${reason}: ${waiting} waiting, ${running} running`);
  }
}

/**
 * Calls back after a time in which this process ran. After a standstill, timers are called before anything else: whoever
 * was waiting would be turned away although all could be served, so the time is given once more.
 * @returns what cancels it
 */
function afterRunning(millis: number, act: () => void): () => void {
  const dueAt = performance.now() + millis;
  let timer = setTimeout(() => {
    if (performance.now() - dueAt < STANDSTILL_MILLIS) act();
    else timer = setTimeout(act, millis);
  }, millis);
  return () => clearTimeout(timer);
}
