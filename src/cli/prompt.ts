import { createInterface } from 'node:readline/promises';
import { UsageError } from './command-line.ts';
import type { Input } from './print.ts';

/**
 * Asks the operator at the terminal.
 * @param question a sentence that ends with a question mark
 * @returns true for yes; undefined without a terminal
 */
export async function askOperator(question: string, signal?: AbortSignal): Promise<boolean | undefined> {
  if (!process.stdin.isTTY) {
    return undefined;
  }
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  const asked = `${question} [yes/no] `;
  const answer = await (signal ? questions.question(asked, { signal }) : questions.question(asked)).finally(
    () => questions.close(),
  );
  return /^y(?:es)?$/i.test(answer.trim());
}

/**
 * Asks the operator to confirm a change.
 * @param isGiven true for `--yes`: nothing is asked
 * @throws UsageError without a terminal; Error if the operator says no
 */
export async function requireConsent(isGiven: boolean, question: string): Promise<void> {
  const answer = isGiven || (await askOperator(question));
  if (answer === undefined) {
    throw new UsageError('Nothing was changed: without a terminal, this command needs --yes.');
  }
  if (!answer) {
    throw new Error('Nothing was changed.');
  }
}

/** Far more than a password may have. */
const MAX_BYTES = 4_096;

/**
 * Reads the first line of an input, without its line break.
 * @throws UsageError on a terminal, which would show what is typed; also if the line is too long or no UTF-8
 */
export async function readFirstLine(input: Input): Promise<string> {
  if (input.isTTY) {
    throw new UsageError('A terminal would show the password: send it through a pipe or from a file.');
  }
  let read = Buffer.alloc(0);
  for await (const chunk of input) {
    read = Buffer.concat([read, Buffer.from(chunk)]);
    if (read.includes('\n') || read.length > MAX_BYTES) {
      break;
    }
  }
  const [line = Buffer.alloc(0)] = [read.subarray(0, read.includes('\n') ? read.indexOf('\n') : read.length)];
  return decode(line).replace(/\r$/, '');
}

function decode(line: Buffer): string {
  try {
    if (line.length <= MAX_BYTES) {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    }
  } catch {
    // Said below.
  }
  throw new UsageError(`The first line of the input must be UTF-8 of up to ${MAX_BYTES} bytes.`);
}
