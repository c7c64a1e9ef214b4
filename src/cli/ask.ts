import { createInterface } from 'node:readline/promises';

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
