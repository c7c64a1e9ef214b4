import { ValidationError } from '../errors/errors.ts';
import type { Logger } from '../system/log.ts';

/**
 * Several steps that exist together or not at all, without a database transaction (a lone MongoDB server has none):
 * every step tells how it is undone, the last one commits, and what nobody can see until then is taken back when a
 * step before it fails (design section 3).
 */
export class OneAct {
  readonly #undoSteps: (() => Promise<unknown>)[] = [];
  #isCommitting = false;

  constructor(private readonly log: Logger) {}

  /** Remembers how to undo the step that comes next, or has just been done. Must be harmless if nothing was done. */
  onFailure(undo: () => Promise<unknown>): void {
    this.#undoSteps.push(undo);
  }

  /**
   * Takes the last step, which makes all the others visible.
   * @throws what `step` throws
   */
  commit<T>(step: () => Promise<T>): Promise<T> {
    this.#isCommitting = true;
    return step();
  }

  /** Undoes what was done, the last step first. One that fails is logged and left to the sweep. */
  async undo(reason: unknown): Promise<void> {
    if (this.#mayHaveCommitted(reason)) {
      this.log.warn(
        { err: reason },
        'a registration ended without an answer from the database; left to the sweep',
      );
      return;
    }
    for (const undoStep of this.#undoSteps.reverse()) {
      await undoStep().catch((err: unknown) =>
        this.log.warn({ err }, 'an undo step failed; left to the sweep'),
      );
    }
  }

  /**
   * A refused commit (the e-mail is taken) did not happen. One without an answer may have: undoing it could take the
   * documents away from an account that exists. Either way the sweep removes what no account owns.
   */
  #mayHaveCommitted(reason: unknown): boolean {
    return this.#isCommitting && !(reason instanceof ValidationError);
  }
}

/**
 * Runs the steps of one act.
 * @param steps is given the act, to tell how each step is undone and to commit
 * @throws what the failing step threw, after the undoing
 */
export async function asOneAct<T>(log: Logger, steps: (act: OneAct) => Promise<T>): Promise<T> {
  const act = new OneAct(log);
  try {
    return await steps(act);
  } catch (error) {
    await act.undo(error);
    throw error;
  }
}
