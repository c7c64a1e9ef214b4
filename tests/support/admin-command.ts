import { Readable } from 'node:stream';
import { runCommand } from '../../src/commands.ts';
import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import { collectOutputs, type ProgramResult, runProgram } from './program.ts';
import type { TestApp } from './test-app.ts';

/** The result of an operator's command. */
interface AdminResult extends ProgramResult {
  /** The objects that it printed, with `--json`. Throws if it failed: a failure must not look like an empty list. */
  readonly json: unknown[];
}

/**
 * Runs `auth-gateway admin …` in this process, which saves the start of one.
 * @param settings its whole environment
 * @param words the command and its options
 */
export async function admin(settings: Record<string, string>, ...words: string[]): Promise<AdminResult> {
  return adminReading('', settings, ...words);
}

/** Runs a command like {@link admin}, with a standard input. */
export async function adminReading(
  input: string | Buffer,
  settings: Record<string, string>,
  ...words: string[]
): Promise<AdminResult> {
  const stdin = Readable.from([Buffer.from(input)]);
  return withJson(
    await collectOutputs((outputs) => runCommand(['admin', ...words], () => settings, { ...outputs, stdin })),
  );
}

/** Runs `auth-gateway admin …` as a process of its own, like {@link admin}; PATH is added to its environment. */
export async function adminProcess(
  settings: Record<string, string>,
  ...words: string[]
): Promise<AdminResult> {
  return withJson(await runProgram('auth-gateway.js', ['admin', ...words], settings));
}

const withJson = (result: ProgramResult): AdminResult => ({
  ...result,
  get json() {
    if (result.code !== 0) {
      throw new Error(`the command ended with ${result.code}: ${result.stderr}`);
    }
    const lines = result.stdout.split('\n').filter((line) => line !== '');
    return lines.map((line): unknown => JSON.parse(line));
  },
});

/** The events about an account that commands have left, the oldest first. */
export const adminEventsOf = ({ database }: Pick<TestApp, 'database'>, accountId: string) =>
  database.db
    .collection<StoredAuditEvent>('audit_events')
    .find({ accountId, door: 'admin' })
    .sort({ at: 1 })
    .toArray();
