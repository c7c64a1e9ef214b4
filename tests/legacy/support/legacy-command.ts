import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../../src/legacy/commands/group.ts';
import { allFiles } from '../../documents/support/aftermath.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type GatewayProcess, watch } from '../../support/gateway-process.ts';
import { collectOutputs, type ProgramResult } from '../../support/program.ts';
import { expectNoSecretsIn } from '../../support/response-record.ts';
import { LEGACY_ACCOUNTS } from './legacy-people.ts';
import { type LegacyService, startLegacyService, useMariaDb } from './legacy-service.ts';

/** A finding, as the report and `--json` have it. */
export interface Reported {
  kind: string;
  id: string;
  outcome: string;
  reason: string;
}

/** A place to move to: a database and folders. No gateway runs on it. */
export interface Target {
  database: TestDatabase;
  folder: string;
  storageDir: string;
  dataDir: string;
  /** The settings of a command. */
  settings: Record<string, string>;
  /** Runs a command in this process. Fails if its output has a secret. */
  run(...words: string[]): Promise<ProgramResult>;
  /** Starts a command as a process of its own. */
  start(settings: Record<string, string>, ...words: string[]): GatewayProcess;
  /** The findings in the reports of all runs. */
  reported(): Promise<Reported[]>;
  /** Removes all data. Fails if a report has a secret. */
  remove(): Promise<void>;
}

/**
 * A legacy service and a place to move to, new for each test of the file.
 * @param isShared one legacy service for all of them
 */
export function useTarget({ isShared = false } = {}): Target & { legacy: LegacyService } {
  const database = useMariaDb();
  const target = {} as Target & { legacy: LegacyService };
  const startLegacy = async () => {
    target.legacy = await startLegacyService(database);
  };
  const stopLegacy = () => target.legacy.stop();
  (isShared ? beforeAll : beforeEach)(startLegacy);
  beforeEach(async () => void Object.assign(target, await openTarget(target.legacy)));
  afterEach(() => target.remove());
  (isShared ? afterAll : afterEach)(stopLegacy);
  return target;
}

/** Makes a place to move to. */
export async function openTarget({ database: source, secrets }: LegacyService): Promise<Target> {
  const target = await openTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-move-'));
  const storageDir = path.join(folder, 'storage');
  const dataDir = path.join(folder, 'data');
  const settings = {
    NODE_ENV: 'test',
    MONGODB_URI: target.uri,
    STORAGE_DIR: storageDir,
    DATA_DIR: dataDir,
    LEGACY_DATABASE_URL: source.uri,
  };
  const private_ = [...secrets, ...Object.values(LEGACY_ACCOUNTS).map(({ email }) => email)];
  const checkTexts = (text: string) => {
    expect(private_.filter((secret) => text.includes(secret))).toEqual([]);
    expectNoSecretsIn(text);
  };
  const started: GatewayProcess[] = [];
  return {
    database: target,
    folder,
    storageDir,
    dataDir,
    settings,
    async run(...words) {
      const result = await collectOutputs((outputs) => run(words, () => settings, outputs));
      checkTexts(result.stdout + result.stderr);
      return result;
    },
    start(others, ...words) {
      const env = { PATH: process.env.PATH, ...settings, ...others };
      const child = spawn(process.execPath, [path.resolve('dist/auth-gateway.js'), 'legacy', ...words], {
        env,
      });
      const running = watch(child);
      started.push(running);
      return running;
    },
    async reported() {
      const files = (await allFiles(dataDir)).filter((file) => file.endsWith('report.ndjson'));
      const texts = await Promise.all(files.map((file) => readFile(path.join(dataDir, file), 'utf8')));
      const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
      return lines.map((line) => JSON.parse(line) as Reported);
    },
    async remove() {
      for (const running of started) {
        await running.kill();
        checkTexts(running.stdout + running.stderr);
      }
      const isReport = (file: string) => file.startsWith('legacy/');
      for (const file of (await allFiles(folder)).filter((name) => isReport(path.relative('data', name)))) {
        checkTexts(await readFile(path.join(folder, file), 'utf8'));
      }
      await target.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The objects that a command has printed with `--json`. */
export const objectsIn = ({ stdout }: Pick<ProgramResult, 'stdout'>) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Reported & Record<string, unknown>);

/** All that a database has, by collection, in the order of ids. */
export async function contentOf({ db }: TestDatabase): Promise<Record<string, unknown[]>> {
  const collections = await db.listCollections().toArray();
  const entries = collections.map(async ({ name }) => {
    const content = await db.collection(name).find().sort({ _id: 1 }).toArray();
    return [name, content] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** A profile without the mark of a document that is missing: it is another one in each import, and a sweep renews it. */
export function withoutMark(profile: unknown): object {
  const { unhashed, ...others } = profile as { unhashed?: string };
  return { ...others, isUnhashed: unhashed !== undefined };
}

/** One word for each finding. */
export const inShort = (found: readonly Reported[]): string[] =>
  found.map(({ kind, id, outcome, reason }) => `${kind} ${id} ${outcome}: ${reason}`).sort();
