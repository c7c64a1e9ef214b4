import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { expectNoSecretsIn } from './response-record.ts';

const MAIN = path.resolve('dist/main.js');

/** The command line of the embedded engine. */
export const EMBEDDED_MONGO = path.resolve('packages/embedded-mongo/dist/cli.js');

/** The built gateway in its own process. */
export interface GatewayProcess {
  /** Its output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** The id of the process. */
  readonly pid: number;
  /** Waits for the start line and returns the address in it. */
  url(): Promise<string>;
  /** Waits for the start line and returns the address that it listens on, not BASE_URL. */
  address(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Waits until the process has written a text to standard output, or has ended. */
  printed(text: string): Promise<void>;
  /** Waits for the end and returns the exit code. */
  exitCode(): Promise<number | null>;
  /** Ends it by SIGTERM, and returns the exit code. */
  stop(): Promise<number | null>;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
}

/** A folder and a database to start gateways with. */
export interface Workshop {
  folder: string;
  database: TestDatabase;
  /** The whole environment of a gateway that is started with these settings. */
  environment(settings?: Record<string, string | undefined>): Record<string, string | undefined>;
  /**
   * Starts the gateway. Its environment has only these settings, and default ones for the folder and database of the
   * workshop. `undefined` leaves out a default.
   * @param program the program that starts it, if it is not the gateway's
   */
  start(settings?: Record<string, string | undefined>, program?: string): GatewayProcess;
}

/**
 * A workshop for all tests of the file. At their end it ends all processes that they started.
 * @param server `own`: the embedded engine alone in its own process, as `auth-gateway db serve` starts it. It is in memory, so that
 *   a slow disk cannot make a gateway report it as away
 */
export function useWorkshop(server: 'shared' | 'own' = 'shared'): Workshop {
  const processes: ChildProcess[] = [];
  let engine: ChildProcess | undefined;
  const gateways: GatewayProcess[] = [];
  const workshop: Partial<Workshop> = {
    environment(settings = {}) {
      const { folder, database } = workshop as Workshop;
      return {
        PATH: process.env.PATH,
        PORT: '0',
        MONGODB_URI: database.uri,
        STORAGE_DIR: path.join(folder, 'storage'),
        DATA_DIR: path.join(folder, 'data'),
        BCRYPT_COST: '4',
        LOG_LEVEL: 'info',
        // Far beyond what any test takes: a busy machine may not answer a start within the usual 10.
        START_WAIT_SECONDS: '600',
        ...settings,
      };
    },
    start(settings = {}, program = MAIN) {
      const { folder, environment } = workshop as Workshop;
      const child = spawn(process.execPath, [program], { cwd: folder, env: environment(settings) });
      processes.push(child);
      const gateway = watch(child);
      gateways.push(gateway);
      return gateway;
    },
  };
  beforeAll(async () => {
    workshop.folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-start-'));
    engine = server === 'own' ? serve(':memory:') : undefined;
    workshop.database = await openTestDatabase(engine && (await servedUri(engine)));
  });
  afterAll(async () => {
    for (const child of processes) {
      child.kill('SIGKILL');
    }
    await Promise.all(gateways.map((gateway) => gateway.exitCode()));
    await workshop.database?.drop();
    engine?.kill('SIGKILL');
    await rm(workshop.folder ?? '', { recursive: true, force: true });
    for (const { stdout, stderr } of gateways) {
      expectNoSecretsIn(stdout + stderr);
    }
  });
  return workshop as Workshop;
}

/** Starts the embedded engine alone, on a free port unless one is given. */
export const serve = (dataDir: string, port = 0): ChildProcess =>
  spawn(process.execPath, [EMBEDDED_MONGO, 'serve', '--port', String(port), '--path', dataDir]);

/** Waits until it listens, and returns its connection string. */
export async function servedUri(engine: ChildProcess): Promise<string> {
  const served = watch(engine);
  await served.printed('\n');
  const uri = /mongodb:\/\/\S+/.exec(served.stdout)?.[0];
  if (uri === undefined) {
    throw new Error(`the database did not start: ${served.stderr}`);
  }
  return uri;
}

/** Records the output of a process, and waits for its start and end. */
export function watch(child: ChildProcess): GatewayProcess {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close');
  const printed = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!stdout.includes(text)) {
          return;
        }
        child.stdout?.off('data', look);
        resolve();
      };
      child.stdout?.on('data', look);
      ended.then(() => resolve(), resolve);
      look();
    });
  const url = async () => {
    await printed('ready');
    const address = /(?:GraphQL |"graphql":")(http\S+?)\/graphql\b/.exec(stdout)?.[1];
    if (address === undefined) {
      throw new Error(`no start line: ${stdout}${stderr}`);
    }
    return address;
  };
  const exitCode = async () => {
    const [code] = (await ended) as [number | null];
    return code;
  };
  return {
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    get pid() {
      if (child.pid === undefined) {
        throw new Error('the process did not start');
      }
      return child.pid;
    },
    url,
    async address() {
      const baseUrl = await url();
      return /(?:listening on |"address":")(http[^,"\s]+)/.exec(stdout)?.[1] ?? baseUrl;
    },
    signal: (name) => void child.kill(name),
    printed,
    exitCode,
    stop() {
      child.kill('SIGTERM');
      return exitCode();
    },
    async kill() {
      child.kill('SIGKILL');
      await exitCode();
    },
  };
}
