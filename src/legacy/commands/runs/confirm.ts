import { askOperator } from '../../../cli/prompt.ts';
import { Refusal } from '../../refusal.ts';
import type { Session } from '../command.ts';

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
  const answer = output.isJson ? undefined : await askOperator(question, signal);
  if (answer === undefined) {
    throw new Refusal(`Nothing was ${done}: without a terminal, ${command} needs --yes.`);
  }
  if (!answer) {
    throw new Refusal(`Nothing was ${done}.`);
  }
}
