import { spawn } from 'node:child_process';
import path from 'node:path';
import { watch } from './gateway-process.ts';

const ADMIN = path.resolve('dist/admin.js');

/** What came of a command of the operators. */
export interface AdminResult {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The objects that it printed, where it was told to print JSON. */
  readonly json: unknown[];
}

/**
 * Runs `npm run admin -- …` as a process of its own.
 * @param settings its whole environment, but for PATH
 * @param words the command and its options
 */
export async function admin(settings: Record<string, string>, ...words: string[]): Promise<AdminResult> {
  const child = spawn(process.execPath, [ADMIN, ...words], { env: { PATH: process.env.PATH, ...settings } });
  const running = watch(child);
  const code = await running.exitCode();
  const { stdout, stderr } = running;
  return {
    code,
    stdout,
    stderr,
    get json() {
      const lines = stdout.split('\n').filter((line) => line !== '');
      return lines.map((line): unknown => JSON.parse(line));
    },
  };
}
