import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../../../src/commands.ts';
import type { StoredAccessToken } from '../../../src/stores/access-tokens.ts';
import type { StoredAccount } from '../../../src/stores/accounts.ts';
import type { DoctorProfile } from '../../../src/stores/doctors.ts';
import { watch } from '../../support/gateway-process.ts';
import { collectOutputs, type ProgramResult } from '../../support/program.ts';
import { expectNoSecretsIn } from '../../support/response-record.ts';
import { createTestApp, storedDocuments, type TestApp } from '../../support/test-app.ts';
import type { LegacyAccount } from './legacy-people.ts';
import { type LegacyService, startLegacyService, useMariaDb } from './legacy-service.ts';
import type { MariaDb, Query } from './mariadb.mjs';

/** The result of `auth-gateway legacy <command> --json`. */
export interface CommandResult extends ProgramResult {
  /** The objects of its lines. */
  lines: Record<string, unknown>[];
  /** The rows and files that it has reported, as `<kind> <id> <outcome>`. */
  found: string[];
}

type WithId = Pick<LegacyAccount, 'id'>;
type Table = 'accounts' | 'doctor_profiles' | 'personal_access_tokens';

/** A legacy service, a running gateway, and the commands between them. */
export interface Move {
  legacy: LegacyService;
  /** Sends SQL to the legacy database. */
  query: Query;
  /** Changes a row of the legacy database, or the profile of an account. */
  changeThere(table: Table, whose: WithId, values: object): Promise<unknown>;
  app: TestApp;
  /** Runs a command of `auth-gateway legacy` in this process. Fails if its output has a secret. */
  run(...words: string[]): Promise<CommandResult>;
  /** The same, and expects that it exits with 0. */
  done(...words: string[]): Promise<CommandResult>;
  /** An import with the files, by default without administrators. */
  import(...words: string[]): Promise<CommandResult>;
  /** A sync with the files. */
  sync(...words: string[]): Promise<CommandResult>;
  /** A verification with the files, which may find differences. */
  verify(...words: string[]): Promise<CommandResult>;
  /** The way back with the files, which may leave something out; with `--yes` unless it has other words. */
  back(...words: string[]): Promise<CommandResult>;
  /** Runs a command of `auth-gateway admin` in this process. */
  admin(...words: string[]): Promise<ProgramResult>;
  /** Gives an account another e-mail, as an operator does. */
  setEmail(account: WithId, to: string): Promise<ProgramResult>;
  /** Starts a command without waiting for its end. */
  start(...words: string[]): ReturnType<typeof watch>;
  accountHere(account: WithId): Promise<StoredAccount | null>;
  profileHere(owner: WithId): Promise<DoctorProfile | null>;
  tokenHere(token: WithId): Promise<StoredAccessToken | null>;
  stop(): Promise<void>;
}

/**
 * A move for each test of the file, which has imported everything.
 * @param settings of the gateway, and so of the commands
 */
export function useMove(settings: Record<string, string> = {}, { isImported = true } = {}): Move {
  const database = useMariaDb();
  const move = {} as Move;
  beforeEach(async () => {
    Object.assign(move, await startMove(settings, database));
    await (isImported && move.import());
  });
  afterEach(() => move.stop());
  return move;
}

/**
 * Starts a legacy service and a gateway. Nothing is imported yet.
 * @param settings of the gateway, and so of the commands
 * @param shared a server of several moves, one after the other
 */
export async function startMove(settings: Record<string, string> = {}, shared?: MariaDb): Promise<Move> {
  const legacy = await startLegacyService(shared);
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
  const { query } = legacy.database;
  const { accounts, profiles, tokens } = app.database;
  const files = ['--files', legacy.filesDir];
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
  const done = async (...words: string[]) => {
    const result = await run(...words);
    expect(result).toMatchObject({ code: 0 });
    return result;
  };
  const admin = (...words: string[]) => inThisProcess('admin', ...words);
  return {
    legacy,
    query,
    changeThere: (table, { id }, values) =>
      query('UPDATE ?? SET ? WHERE ?? = ?', [
        table,
        values,
        table === 'doctor_profiles' ? 'user_id' : 'id',
        id,
      ]),
    app,
    run,
    done,
    import: (...words) =>
      done('import', ...files, '--yes', ...(words.length > 0 ? words : ['--admins', 'skip'])),
    sync: (...words) => done('sync', ...files, ...words),
    verify: (...words) => run('verify', ...files, ...words),
    back: (...words) => run('back', ...files, ...(words.length > 0 ? words : ['--yes'])),
    admin,
    setEmail: ({ id }, to) => admin('accounts', 'set-email', '--account', String(id), '--to', to),
    start(...words) {
      const env = { PATH: process.env.PATH, ...environment };
      return watch(
        spawn(process.execPath, [path.resolve('dist/auth-gateway.js'), 'legacy', ...wordsOf(words)], { env }),
      );
    },
    accountHere: ({ id }) => accounts.findOne({ _id: String(id) }),
    profileHere: ({ id }) => profiles.findOne({ _id: String(id) }),
    tokenHere: ({ id }) => tokens.findOne({ _id: String(id) }),
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

/** The summary of a command. */
export const summaryOf = ({ lines }: CommandResult): Record<string, unknown> =>
  lines.find(({ event }) => event === 'summary') ?? {};

/** The counts in the summary of a command, without those that are 0. */
export function countsIn(result: CommandResult): Record<string, number> {
  const counts = Object.entries((summaryOf(result).counts ?? {}) as Record<string, number>);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** What a command has found and why, in the order of texts. */
export const reasonsIn = ({ lines }: CommandResult): string[] =>
  lines
    .filter(({ event }) => event === 'finding')
    .map(({ kind, id, reason }) => `${kind} ${id}: ${reason}`)
    .toSorted();

/** All rows of the legacy service, in the order of their keys. */
export const rowsThere = async ({ query }: Move) => ({
  accounts: await query('SELECT * FROM accounts ORDER BY id'),
  profiles: await query('SELECT * FROM doctor_profiles ORDER BY id'),
  tokens: await query('SELECT * FROM personal_access_tokens ORDER BY id'),
});

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
