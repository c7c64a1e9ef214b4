import { spawn } from 'node:child_process';
import path from 'node:path';
import { watch } from './gateway-process.ts';

/** The result of a program that has ended. */
export interface ProgramResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a built program of this package to its end.
 * @param program its file in `dist`
 * @param settings its whole environment, except PATH
 */
export async function runProgram(
  program: string,
  words: string[],
  settings: Record<string, string>,
): Promise<ProgramResult> {
  const env = { PATH: process.env.PATH, ...settings };
  const running = watch(spawn(process.execPath, [path.resolve('dist', program), ...words], { env }));
  const code = await running.exitCode();
  return { code, stdout: running.stdout, stderr: running.stderr };
}
