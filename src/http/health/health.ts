import { performance } from 'node:perf_hooks';
import type { Logger } from '../../system/log.ts';

/** What the gateway cannot do without, and how each is asked; one that does not work rejects. */
export interface HealthProbes {
  database(): Promise<unknown>;
  /** Whether documents can be stored, not only read. */
  storage(): Promise<unknown>;
  hashQueue(): Promise<unknown>;
}

/** What is told of something that works. */
const OK = 'ok';

/** What else is told, to anybody: no address, no message of a system. The reason is in the log (OWASP ASVS 16.5.1). */
const CAUSES: Readonly<Record<keyof HealthProbes, string>> = {
  database: 'does not answer',
  storage: 'cannot be written to',
  hashQueue: 'is full',
};

/** Whether requests can be served, and `ok` or the cause for each thing that it depends on. */
export interface Readiness {
  isReady: boolean;
  checks: Record<keyof HealthProbes | 'process', string>;
}

/** Longer than a healthy one ever takes, and short enough for a probe of Kubernetes, which waits for a second. */
const PATIENCE_MILLIS = 800;
/** Nobody asks more often for a reason, and whoever does so for none must not cost anything. */
const REUSE_MILLIS = 1000;

/** Knows whether this process can serve requests. */
export class Health {
  readonly #database: Check;
  readonly #storage: Check;
  readonly #hashQueue: Check;
  #last: { askedAt: number; checks: Promise<Record<keyof HealthProbes, string>> } | undefined;

  /**
   * @param stopping from its abort on, nothing is ready
   * @param log is told when something stops working, and why, and when it works again
   */
  constructor(
    probes: HealthProbes,
    private readonly stopping: AbortSignal,
    log: Logger,
  ) {
    this.#database = new Check('database', probes, log);
    this.#storage = new Check('storage', probes, log);
    this.#hashQueue = new Check('hashQueue', probes, log);
  }

  /** @returns within a second, of which it may be old, but for the beginning of a stop, which is told at once */
  async readiness(): Promise<Readiness> {
    const now = performance.now();
    if (!this.#last || now - this.#last.askedAt >= REUSE_MILLIS) {
      this.#last = { askedAt: now, checks: this.#ask() };
    }
    const dependencies = await this.#last.checks;
    const checks = { ...dependencies, process: this.stopping.aborted ? 'is stopping' : OK };
    return { isReady: Object.values(checks).every((answer) => answer === OK), checks };
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

/** What a probe came to: `ok` or the cause, and for the log what it rejected with. */
interface Finding {
  answer: string;
  err?: unknown;
}

/** One thing that is asked whether it works. */
class Check {
  /** A probe that hangs must not be joined by another one every second: both hold a thread, or a connection. */
  #running: Promise<Finding> | undefined;
  #told = OK;

  constructor(
    private readonly name: keyof HealthProbes,
    private readonly probes: HealthProbes,
    private readonly log: Logger,
  ) {}

  /** @returns `ok` or the cause, within the patience */
  async ask(): Promise<string> {
    this.#running ??= this.#probe().finally(() => {
      this.#running = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<Finding>((resolve) => {
      timer = setTimeout(() => resolve({ answer: 'does not answer in time' }), PATIENCE_MILLIS);
    });
    const { answer, err } = await Promise.race([this.#running, tooLate]).finally(() => clearTimeout(timer));
    this.#tell(answer, err);
    return answer;
  }

  #probe(): Promise<Finding> {
    return this.probes[this.name]().then(
      () => ({ answer: OK }),
      (err: unknown) => ({ answer: CAUSES[this.name], err }),
    );
  }

  /** Once for each change, not for each probe. */
  #tell(answer: string, err: unknown): void {
    const isNews = (answer === OK) !== (this.#told === OK);
    this.#told = answer;
    if (!isNews) return;
    if (answer === OK) this.log.info({ check: this.name }, 'health: works again');
    else this.log.warn({ check: this.name, cause: answer, err }, 'health: not ready');
  }
}
