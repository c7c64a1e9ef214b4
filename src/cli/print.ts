import type { Writable } from 'node:stream';
import { systemErrorCode } from '../system/system-errors.ts';
import { forPerson, forProgram } from './printable.ts';

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
