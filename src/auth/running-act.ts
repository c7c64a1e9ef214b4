import { AsyncLocalStorage } from 'node:async_hooks';
import { isAnswerLost } from '../database/database-errors.ts';
import { ServiceError } from '../system/errors.ts';
import type { TimeBudget } from './time-budget.ts';

/** Takes the place of an error of an act that may have happened: its caller must look. Its cause is the error. */
export class UnknownOutcome extends Error {}

const SERVER_ERROR = 500;

const current = new AsyncLocalStorage<RunningAct>();

/**
 * An act of a caller, and how far it is. Before the write that decides it, nothing has happened, and no such write begins for a caller
 * who was refused by then. While that write waits for its answer, nobody knows. After it the act is done: what follows takes the time
 * that it needs, and catches its own failures, so that the answer is the success.
 */
export class RunningAct {
  #mayBeDone = false;
  #isDecided = false;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly timeBudget: TimeBudget) {}

  /** Runs the act. What it calls finds it by {@link commit}. */
  async run<T>(act: () => Promise<T>): Promise<T> {
    const running = current.run(this, act);
    this.#ended = running;
    return running.finally(() => {
      // What the act has begun for others, such as a timer, still finds it.
      this.#isDecided = true;
    });
  }

  async commit<T>(write: () => Promise<T>): Promise<T> {
    if (this.#isDecided) {
      return write();
    }
    this.timeBudget.demandSome();
    this.#mayBeDone = true;
    const result = await write().catch((error: unknown) => {
      this.#mayBeDone = isAnswerLost(error);
      throw error;
    });
    this.#mayBeDone = Boolean(result);
    this.#isDecided = this.#mayBeDone;
    void (this.#isDecided && this.timeBudget.pauseFor(() => this.#ended).catch(() => {}));
    return result;
  }

  /** What a failure of the act says to its caller. A refusal says for itself what has happened. */
  asAnswer(cause: unknown): unknown {
    const isRefusal = cause instanceof ServiceError && cause.status < SERVER_ERROR;
    return this.#mayBeDone && !isRefusal ? new UnknownOutcome('unknown outcome', { cause }) : cause;
  }
}

/**
 * Runs the write that decides the act under way, or the first of several. Without such an act, as in a command, it only runs the write.
 * @param write resolves to a value that is not truthy if it has changed nothing
 * @throws ServiceUnavailableError if the caller was refused meanwhile: then nothing is written; what `write` throws
 */
export const commit = <T>(write: () => Promise<T>): Promise<T> =>
  current.getStore()?.commit(write) ?? write();
