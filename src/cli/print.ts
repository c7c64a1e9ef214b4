import type { Readable, Writable } from 'node:stream';
import { UNPRINTABLE } from '../system/output-encoding.ts';
import { systemErrorCode } from '../system/system-errors.ts';

/** The standard input, as a process has it. */
export type Input = Readable & { isTTY?: boolean };

/** The outputs of a program, as a process has them. */
export interface Outputs {
  stdout: Writable;
  stderr: Writable;
}

/** A part of the output of a command. */
export interface Line {
  /** For a person: one line or several. */
  text: string | readonly string[];
  /** For a program; undefined if it needs no such line. */
  json?: object;
}

/**
 * Prints line by line, no faster than the reader reads, and stops if the reader closes the pipe.
 * @throws the system error of a failed write, for example on a full disk: half a list must not look like a whole one
 */
export async function printAll(lines: AsyncIterable<Line>, isJson: boolean, output: Writable): Promise<void> {
  // The callback of each write gets the error.
  output.on('error', () => {});
  for await (const { text, json } of lines) {
    if (isJson && json === undefined) {
      continue;
    }
    const isRead = await print(output, `${isJson && json ? forProgram(json) : forPerson(text)}\n`);
    if (!isRead) {
      return;
    }
  }
}

const print = (output: Writable, text: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error && systemErrorCode(error) !== 'EPIPE') {
        reject(error);
      } else {
        resolve(!error);
      }
    });
  });

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** One line or several for a person, without characters that a terminal obeys. */
export const forPerson = (text: string | readonly string[]): string =>
  [text]
    .flat()
    .map((line) => line.replace(UNPRINTABLE, '?'))
    .join('\n');

/** JSON with control characters as escapes: the same value for a program, and harmless in a terminal. */
export const forProgram = (json: object): string =>
  JSON.stringify(json).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escaped);

/** True for a text that people can read in one line: no control characters, no invisible ones, none without a meaning. */
export const isPrintable = (text: string): boolean =>
  text.isWellFormed() && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
