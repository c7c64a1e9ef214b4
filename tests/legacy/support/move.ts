import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../../../src/commands.ts';
import { watch } from '../../support/gateway-process.ts';
import { collectOutputs, type ProgramResult } from '../../support/program.ts';
import { expectNoSecretsIn } from '../../support/response-record.ts';
import { createTestApp, storedDocuments, type TestApp } from '../../support/test-app.ts';
import { type LegacyService, startLegacyService } from './legacy-service.ts';

/** The result of `auth-gateway legacy <command> --json`. */
export interface CommandResult extends ProgramResult {
  /** The objects of its lines. */
  lines: Record<string, unknown>[];
  /** The rows and files that it has reported, as `<kind> <id> <outcome>`. */
  found: string[];
}

/** A legacy service, a running gateway, and the commands between them. */
export interface Move {
  legacy: LegacyService;
  app: TestApp;
  /** Runs a command of `auth-gateway legacy` in this process. Fails if its output has a secret. */
  run(...words: string[]): Promise<CommandResult>;
  /** The same, and expects that it exits with 0. */
  done(...words: string[]): Promise<CommandResult>;
  /** Runs a command of `auth-gateway admin` in this process. */
  admin(...words: string[]): Promise<ProgramResult>;
  /** Starts a command without waiting for its end. */
  start(...words: string[]): ReturnType<typeof watch>;
  stop(): Promise<void>;
}

/**
 * Starts a legacy service and a gateway. Nothing is imported yet.
 * @param settings of the gateway, and so of the commands
 */
export async function startMove(settings: Record<string, string> = {}): Promise<Move> {
  const legacy = await startLegacyService();
  const app = await createTestApp(settings);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'auth-gateway-move-'));
  const environment = {
    ...settings,
    NODE_ENV: 'test',
    MONGODB_URI: app.database.uri,
    STORAGE_DIR: app.storageDir,
    DATA_DIR: dataDir,
    LEGACY_DATABASE_URL: legacy.database.uri,
  };
  const wordsOf = ([command = '', ...words]: string[]) => [command, ...words, '--json'];
  const inThisProcess = (...words: string[]) =>
    collectOutputs((outputs) =>
      runCommand(words, () => environment, { ...outputs, stdin: { isTTY: false } as never }),
    );
  const run = async (...words: string[]): Promise<CommandResult> => {
    const result = await inThisProcess('legacy', ...wordsOf(words));
    expectNoneOf(legacy.secrets, `${result.stdout}${result.stderr}`);
    const json = result.stdout.split('\n').filter((line) => line !== '');
    const lines = json.map((line) => JSON.parse(line) as Record<string, unknown>);
    const found = lines
      .filter(({ event }) => event === 'finding')
      .map(({ kind, id, outcome }) => `${kind} ${id} ${outcome}`);
    return { ...result, lines, found };
  };
  return {
    legacy,
    app,
    run,
    async done(...words) {
      const result = await run(...words);
      expect(result).toMatchObject({ code: 0 });
      return result;
    },
    admin: (...words) => inThisProcess('admin', ...words),
    start(...words) {
      const env = { PATH: process.env.PATH, ...environment };
      return watch(
        spawn(process.execPath, [path.resolve('dist/auth-gateway.js'), 'legacy', ...wordsOf(words)], { env }),
      );
    },
    async stop() {
      await app.stop();
      await legacy.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

function expectNoneOf(secrets: readonly string[], text: string): void {
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expectNoSecretsIn(text);
}

/** The counts in the summary of a command, without those that are 0. */
export function countsIn({ lines }: CommandResult): Record<string, number> {
  const summary = lines.find(({ event }) => event === 'summary');
  const counts = Object.entries((summary?.counts ?? {}) as Record<string, number>);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** The lines of the report that a run has written. */
export const reportOf = async ({ lines }: CommandResult): Promise<string> => {
  const summary = lines.find(({ event }) => event === 'summary');
  return readFile(path.join(String(summary?.folder), 'report.ndjson'), 'utf8');
};

/** Everything that the gateway has stored, in the order of ids. */
export async function snapshotOf({ app }: Move) {
  const { accounts, profiles, tokens } = app.database;
  const inOrder = { sort: { _id: 1 } } as const;
  return {
    accounts: await accounts.find({}, inOrder).toArray(),
    profiles: await profiles.find({}, inOrder).toArray(),
    tokens: await tokens.find({}, inOrder).toArray(),
    documents: await storedDocuments(app),
  };
}

const POLL_MILLIS = 10;

/** Kills a command as soon as the databases are in a state, unless it has ended before. */
export async function killAt(
  running: ReturnType<Move['start']>,
  isReached: () => Promise<boolean>,
): Promise<void> {
  let hasEnded = false;
  const end = running.exitCode().then(() => {
    hasEnded = true;
  });
  while (!hasEnded && !(await isReached())) {
    await wait(POLL_MILLIS);
  }
  running.signal('SIGKILL');
  await end;
}
