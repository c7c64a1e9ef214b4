import { type ProgramResult, runProgram } from './program.ts';

/** What came of a command of the operators. */
interface AdminResult extends ProgramResult {
  /** The objects that it printed, where it was told to print JSON. */
  readonly json: unknown[];
}

/**
 * Runs `npm run admin -- …` as a process of its own.
 * @param settings its whole environment, but for PATH
 * @param words the command and its options
 */
export async function admin(settings: Record<string, string>, ...words: string[]): Promise<AdminResult> {
  const result = await runProgram('admin.js', words, settings);
  return {
    ...result,
    get json() {
      const lines = result.stdout.split('\n').filter((line) => line !== '');
      return lines.map((line): unknown => JSON.parse(line));
    },
  };
}
