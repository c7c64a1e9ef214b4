import type { Writable } from 'node:stream';
import { forPerson, forProgram, type Line, type Outputs } from './print.ts';

/** How often a program without a terminal shows its progress, in milliseconds. */
const INTERVAL_MILLIS = 10_000;
const TERMINAL_INTERVAL_MILLIS = 200;

/** A record or file that a command did not treat as asked. */
interface Finding {
  kind: string;
  id: string;
  outcome: string;
  reason: string;
}

/** The output of a command: results to standard output, progress and notes to standard error, or all of it as JSON lines. */
export class Output {
  readonly #stdout: Writable;
  readonly #stderr: Writable;
  /** True if a person sees the progress in one line. */
  readonly isTerminal: boolean;
  #progress: Progress | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #hasOpenLine = false;

  constructor(
    { stdout, stderr }: Outputs,
    readonly isJson: boolean,
  ) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isTerminal = !isJson && 'isTTY' in stderr && stderr.isTTY === true;
    // Nobody may be reading any more. The command continues, and its report is in a file.
    stdout.on('error', () => {});
    stderr.on('error', () => {});
  }

  /** Prints a part of the result. */
  line({ text, json }: Line): void {
    this.endProgress();
    if (!this.isJson) {
      this.#stdout.write(`${forPerson(text)}\n`);
    } else if (json) {
      this.#stdout.write(`${forProgram(json)}\n`);
    }
  }

  /** Tells a person something that is no result. */
  note(text: string): void {
    this.endProgress();
    this.#stderr.write(`${text}\n`);
  }

  /** Prints a finding for programs. People read the report. */
  found(finding: Finding): void {
    if (this.isJson) {
      this.#stdout.write(`${forProgram({ event: 'finding', ...finding })}\n`);
    }
  }

  /** Shows how far a command is. The first call for a kind says where it begins. */
  progress(kind: string, done: number, total: number | undefined): void {
    const now = performance.now();
    if (this.#progress?.kind !== kind) {
      this.endProgress();
      this.#progress = new Progress(kind, done, now);
    }
    const interval = this.isTerminal ? TERMINAL_INTERVAL_MILLIS : INTERVAL_MILLIS;
    const isEnd = done === total;
    if (now - this.#shownAt < interval && !isEnd) {
      return;
    }
    this.#shownAt = now;
    const state = this.#progress.at(done, total, now);
    if (this.isJson) {
      this.#stdout.write(`${JSON.stringify({ event: 'progress', ...state })}\n`);
    } else {
      const text = Progress.text(state);
      this.#stderr.write(this.isTerminal ? `\r\x1b[K${Progress.bar(state)}${text}` : `${text}\n`);
      this.#hasOpenLine = this.isTerminal;
    }
  }

  /** Removes the line that shows the progress, so that a result takes its place. */
  hideProgress(): void {
    if (this.#hasOpenLine) {
      this.#stderr.write('\r\x1b[K');
      this.#hasOpenLine = false;
    }
  }

  /** Ends the line that shows the progress. */
  endProgress(): void {
    if (this.#hasOpenLine) {
      this.#stderr.write('\n');
      this.#hasOpenLine = false;
    }
  }
}

/** How far a command is with one kind of rows. */
interface ProgressState {
  kind: string;
  done: number;
  /** null if it is not known. */
  total: number | null;
  rowsPerSecond: number;
  /** null if it cannot be said. */
  secondsLeft: number | null;
}

const BAR_WIDTH = 25;

/** Measures the speed of a command with one kind of rows. */
export class Progress {
  /**
   * @param first what was done before it began
   * @param beganAt in milliseconds
   */
  constructor(
    readonly kind: string,
    private readonly first: number,
    private readonly beganAt: number,
  ) {}

  at(done: number, total: number | undefined, now: number): ProgressState {
    const seconds = (now - this.beganAt) / 1000;
    const rowsPerSecond = seconds > 0 ? Math.round((done - this.first) / seconds) : 0;
    const isKnown = total !== undefined && rowsPerSecond > 0;
    // Rows may have been added since they were counted.
    const secondsLeft = isKnown ? Math.max(0, Math.ceil((total - done) / rowsPerSecond)) : null;
    return { kind: this.kind, done, total: total ?? null, rowsPerSecond, secondsLeft };
  }

  /** A bar for a terminal; empty if the end is not known. */
  static bar({ done, total }: ProgressState): string {
    if (total === null || total === 0) {
      return '';
    }
    const share = Math.min(done / total, 1);
    return `[${'#'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH)}] ${Math.floor(share * 100)}%  `;
  }

  /** A line for people. */
  static text({ kind, done, total, rowsPerSecond, secondsLeft }: ProgressState): string {
    const parts = [
      `${kind} ${done}${total === null ? '' : ` of ${total}`}`,
      `${rowsPerSecond}/s`,
      ...(secondsLeft === null ? [] : [`${durationOf(secondsLeft)} left`]),
    ];
    return parts.join('  ');
  }
}

const pad = (value: number): string => String(value).padStart(2, '0');

/** A duration for people, such as `1:02:03` or `2:03`. */
export function durationOf(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}
