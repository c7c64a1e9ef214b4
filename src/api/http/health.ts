import type { Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';

/** Checks of the dependencies that the gateway needs. A check rejects if its dependency does not work. */
export interface HealthProbes {
  database(): Promise<unknown>;
  /** Checks that documents can be stored, not only read. */
  storage(): Promise<unknown>;
  hashQueue(): Promise<unknown>;
}

/** A dependency that answers, but does not work. */
export class NotReadyError extends Error {
  /** @param cause public: without an address */
  constructor(override readonly cause: string) {
    super(cause);
  }
}

/** The answer for a dependency that works. */
const OK = 'ok';

/** The other answers. They are public, so they contain no address and no error message. The log has the reason (OWASP ASVS 16.5.1). */
const CAUSES: Readonly<Record<keyof HealthProbes, string>> = {
  database: 'does not answer',
  storage: 'cannot be written to',
  hashQueue: 'is full',
};

/** Whether requests can be served, and `ok` or the cause for each dependency. */
export interface Readiness {
  isReady: boolean;
  checks: Record<keyof HealthProbes | 'process', string> & {
    /** No dependency: requests are served without backups, too. Absent if none are made. */
    backup?: string;
  };
}

/** What the health depends on. */
interface HealthParts {
  probes: HealthProbes;
  /** Undefined if no backups are made. */
  backupProblem: (() => string | undefined) | undefined;
  /** Once it is aborted, the process is not ready. */
  stopping: AbortSignal;
  clock: Clock;
  /** Shows when a dependency stops working, why, and when it works again. */
  log: Logger;
}

/** Longer than a healthy dependency takes, and shorter than the second that a probe of Kubernetes waits. */
const MAX_WAIT_MILLIS = 800;
/** Frequent requests share one check, so that they cost nothing. */
const REUSE_MILLIS = 1000;

/** Knows whether this process can serve requests. */
export class Health {
  readonly #parts: HealthParts;
  readonly #database: DependencyCheck;
  readonly #storage: DependencyCheck;
  readonly #hashQueue: DependencyCheck;
  #last: { askedAt: number; checks: Promise<Record<keyof HealthProbes, string>> } | undefined;

  constructor(parts: HealthParts) {
    const { probes, clock, log } = parts;
    this.#parts = parts;
    this.#database = new DependencyCheck('database', probes, clock, log);
    this.#storage = new DependencyCheck('storage', probes, clock, log);
    this.#hashQueue = new DependencyCheck('hashQueue', probes, clock, log);
  }

  /** @returns within a second, a result that is at most a second old. The beginning of a stop shows at once */
  async readiness(): Promise<Readiness> {
    const { stopping, backupProblem, clock } = this.#parts;
    const now = clock.elapsed();
    if (!this.#last || now - this.#last.askedAt >= REUSE_MILLIS) {
      this.#last = { askedAt: now, checks: this.#ask() };
    }
    const dependencies = await this.#last.checks;
    const needed = { ...dependencies, process: stopping.aborted ? 'is stopping' : OK };
    const isReady = Object.values(needed).every((answer) => answer === OK);
    const backup = backupProblem && { backup: backupProblem() ?? OK };
    return { isReady, checks: { ...needed, ...backup } };
  }

  async #ask(): Promise<Record<keyof HealthProbes, string>> {
    const [database, storage, hashQueue] = await Promise.all([
      this.#database.ask(),
      this.#storage.ask(),
      this.#hashQueue.ask(),
    ]);
    return { database, storage, hashQueue };
  }
}

/** The result of a probe: `ok` or the cause, and the error for the log. */
interface ProbeResult {
  answer: string;
  err?: unknown;
}

/** The check of one dependency. */
class DependencyCheck {
  /** A probe that hangs holds a thread or a connection, so no second one is started beside it. */
  #running: Promise<ProbeResult> | undefined;
  #lastAnswer = OK;

  constructor(
    private readonly name: keyof HealthProbes,
    private readonly probes: HealthProbes,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** @returns `ok` or the cause, within {@link MAX_WAIT_MILLIS} */
  async ask(): Promise<string> {
    this.#running ??= this.#probe().finally(() => {
      this.#running = undefined;
    });
    let cancel = () => {};
    const tooLate = new Promise<ProbeResult>((resolve) => {
      cancel = this.clock.after(MAX_WAIT_MILLIS, () => resolve({ answer: 'does not answer in time' }));
    });
    const { answer, err } = await Promise.race([this.#running, tooLate]).finally(() => cancel());
    this.#logChange(answer, err);
    return answer;
  }

  #probe(): Promise<ProbeResult> {
    return this.probes[this.name]().then(
      () => ({ answer: OK }),
      (err: unknown) => ({ answer: err instanceof NotReadyError ? err.cause : CAUSES[this.name], err }),
    );
  }

  /** Logs once for each change, not for each probe. */
  #logChange(answer: string, err: unknown): void {
    const isChange = (answer === OK) !== (this.#lastAnswer === OK);
    this.#lastAnswer = answer;
    if (!isChange) {
      return;
    }
    if (answer === OK) {
      this.log.info({ check: this.name }, 'health: works again');
    } else {
      this.log.warn({ check: this.name, cause: answer, err }, 'health: not ready');
    }
  }
}
