import type { Writable } from 'node:stream';
import type { Outputs } from '../outputs.ts';
import { forPerson, forProgram } from '../printable.ts';
import { Progress } from './progress.ts';

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

/** A part of the result of a command. */
export interface Line {
  /** For a person: one line or several. */
  text: string | readonly string[];
  /** For a program; undefined if it needs no such line. */
  json?: object;
}

/** The output of a command: results to standard output, progress and notes to standard error, or all of it as JSON lines. */
export class Output {
  readonly #stdout: Writable;
  readonly #stderr: Writable;
  readonly #isTerminal: boolean;
  #progress: Progress | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  #hasOpenLine = false;

  constructor(
    { stdout, stderr }: Outputs,
    readonly isJson: boolean,
  ) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#isTerminal = !isJson && 'isTTY' in stderr && stderr.isTTY === true;
    // Nobody may be reading any more. The command goes on, and its report is in a file.
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
    const interval = this.#isTerminal ? TERMINAL_INTERVAL_MILLIS : INTERVAL_MILLIS;
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
      this.#stderr.write(this.#isTerminal ? `\r\x1b[K${Progress.bar(state)}${text}` : `${text}\n`);
      this.#hasOpenLine = this.#isTerminal;
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
