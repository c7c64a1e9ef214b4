import { createInterface } from 'node:readline/promises';
import { Refusal } from '../../../legacy/refusal.ts';
import type { Session } from '../commands/command.ts';

/**
 * Asks the operator.
 * @param question a sentence that ends with a question mark
 * @param words for the refusal: what needs the consent, and what it has not done
 * @throws Refusal without the operator's consent
 */
export async function confirm(
  { output, signal }: Session,
  question: string,
  { command, done } = { command: 'this command', done: 'changed' },
): Promise<void> {
  if (!process.stdin.isTTY || output.isJson) {
    throw new Refusal(`Nothing was ${done}: without a terminal, ${command} needs --yes.`);
  }
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await questions
    .question(`${question} [yes/no] `, { signal })
    .finally(() => questions.close());
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    throw new Refusal(`Nothing was ${done}.`);
  }
}
