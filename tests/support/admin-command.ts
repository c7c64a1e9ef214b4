import { type ProgramResult, runProgram } from './program.ts';

/** The result of an operator's command. */
interface AdminResult extends ProgramResult {
  /** The objects that it printed, with `--json`. */
  readonly json: unknown[];
}

/**
 * Runs `npm run admin -- …` in its own process.
 * @param settings its whole environment, except PATH
 * @param words the command and its options
 */
export async function admin(settings: Record<string, string>, ...words: string[]): Promise<AdminResult> {
  const result = await runProgram('cli/admin.js', words, settings);
  return {
    ...result,
    get json() {
      const lines = result.stdout.split('\n').filter((line) => line !== '');
      return lines.map((line): unknown => JSON.parse(line));
    },
  };
}
