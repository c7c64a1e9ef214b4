import { type ProgramResult, runProgram } from './program.ts';

/** What came of a command of the operators. */
interface AdminResult extends ProgramResult {
  /** The objects that it printed, where it was told to print JSON. */
  readonly json: unknown[];
}

/** Nothing has been done: whoever keeps the database stood still, and an operator would ask again. */
const UNREACHED = /^admin: Server selection timed out/;
const MOST_ATTEMPTS = 5;

/**
 * Runs `npm run admin -- …` as a process of its own.
 * @param settings its whole environment, but for PATH
 * @param words the command and its options
 */
export async function admin(settings: Record<string, string>, ...words: string[]): Promise<AdminResult> {
  let result = await runProgram('cli/admin.js', words, settings);
  for (let attempt = 1; attempt < MOST_ATTEMPTS && UNREACHED.test(result.stderr); attempt += 1)
    result = await runProgram('cli/admin.js', words, settings);
  return {
    ...result,
    get json() {
      const lines = result.stdout.split('\n').filter((line) => line !== '');
      return lines.map((line): unknown => JSON.parse(line));
    },
  };
}
