import type { Finding, Level } from './finding.ts';

export type ExitCode = 0 | 1 | 2;

/** The sum of all findings. */
export class Verdict {
  readonly #counts: Record<Level, number> = { ok: 0, note: 0, warning: 0, error: 0 };

  add({ level }: Finding): void {
    this.#counts[level] += 1;
  }

  /** How many findings there are of each level. */
  get counts(): Readonly<Record<Level, number>> {
    return this.#counts;
  }

  /** 0 sound, 1 with warnings, 2 with errors. */
  get exitCode(): ExitCode {
    if (this.#counts.error > 0) {
      return 2;
    }
    return this.#counts.warning > 0 ? 1 : 0;
  }
}
