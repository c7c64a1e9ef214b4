import { isDuplicateKey } from '../database/database-errors.ts';
import { ValidationError } from '../system/errors.ts';
import type { Logger } from '../system/log.ts';
import { commit } from './running-act.ts';

/**
 * Several steps that take effect together or not at all. There is no database transaction, because a lone MongoDB server
 * has none. Each step says how to undo it. The last step commits: the other steps are invisible until then. If a step
 * fails, the steps before it are undone (compensation).
 */
export class UnitOfWork {
  readonly #undoSteps: (() => Promise<unknown>)[] = [];
  #isCommitting = false;

  constructor(private readonly log: Logger) {}

  /** Registers how to undo the next step, or the last one. It must be harmless if nothing was done. */
  onFailure(undo: () => Promise<unknown>): void {
    this.#undoSteps.push(undo);
  }

  /**
   * Runs the last step, which makes all the others visible.
   * @throws as {@link commit}
   */
  commit<T>(step: () => Promise<T>): Promise<T> {
    return commit(() => {
      this.#isCommitting = true;
      return step();
    });
  }

  /** Runs steps that the caller may repeat under another id. If an id is taken, they are undone at once. */
  async attempt<T>(steps: () => Promise<T>): Promise<T> {
    const first = this.#undoSteps.length;
    try {
      return await steps();
    } catch (error) {
      if (isDuplicateKey(error, '_id')) {
        this.#isCommitting = false;
        await this.#undo(this.#undoSteps.splice(first));
      }
      throw error;
    }
  }

  /** Undoes the steps, the last one first. An undo step that fails is logged and left to the sweep. */
  async compensate(reason: unknown): Promise<void> {
    if (this.#mayHaveCommitted(reason)) {
      this.log.warn(
        { err: reason },
        'a unit of work ended without an answer from the database; left to the sweep',
      );
      return;
    }
    await this.#undo(this.#undoSteps);
  }

  async #undo(steps: (() => Promise<unknown>)[]): Promise<void> {
    for (const undoStep of steps.reverse()) {
      await undoStep().catch((err: unknown) =>
        this.log.warn({ err }, 'an undo step failed; left to the sweep'),
      );
    }
  }

  /**
   * A refused commit (the e-mail is taken) did not happen. A commit without an answer may have happened: undoing it could
   * delete the documents of an existing account. In both cases the sweep removes what belongs to no account.
   */
  #mayHaveCommitted(reason: unknown): boolean {
    return this.#isCommitting && !(reason instanceof ValidationError);
  }
}

/**
 * Waits for steps that run at once, also if one of them fails: a step that is still under way could not be undone.
 * @throws what the first of the failed steps threw
 */
export async function together<T extends readonly unknown[] | []>(
  steps: T,
): Promise<{ -readonly [each in keyof T]: Awaited<T[each]> }> {
  await Promise.allSettled(steps);
  return Promise.all(steps);
}

/**
 * Runs steps as one unit of work.
 * @param steps gets the unit, to register undo steps and to commit
 * @throws what the failing step threw, after the compensation
 */
export async function asUnitOfWork<T>(log: Logger, steps: (unit: UnitOfWork) => Promise<T>): Promise<T> {
  const unit = new UnitOfWork(log);
  try {
    return await steps(unit);
  } catch (error) {
    await unit.compensate(error);
    throw error;
  }
}
