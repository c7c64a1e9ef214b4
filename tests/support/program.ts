import { spawn } from 'node:child_process';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ExitCode, Streams } from '../../src/cli/command-line.ts';
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

/** Runs the main function of a program in this process, and collects what it writes. */
export async function collectOutputs(
  main: (streams: Streams) => Promise<ExitCode | undefined>,
): Promise<ProgramResult> {
  const collected = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const texts = [text(collected.stdout), text(collected.stderr)] as const;
  const code = await main(collected);
  collected.stdout.end();
  collected.stderr.end();
  const [stdout, stderr] = await Promise.all(texts);
  return { code: code ?? null, stdout, stderr };
}
