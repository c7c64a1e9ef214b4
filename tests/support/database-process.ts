import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serve, servedUri } from './gateway-process.ts';
import { freePort } from './listen.ts';

/** The embedded engine as `auth-gateway db serve` starts it. A test may stop and start it. */
export interface DatabaseProcess {
  /** Stays the same over stops and starts. */
  uri: string;
  /** Where its data is. */
  folder: string;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Waits for its end. */
  ended(): Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** Starts a database. Its data ends with it. */
export async function startDatabaseProcess(): Promise<DatabaseProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-database-'));
  const port = await freePort();
  let running: { child: ChildProcess; end: Promise<unknown> };
  const start = async () => {
    const child = serve(folder, port);
    running = { child, end: once(child, 'exit') };
    await servedUri(child);
  };
  const signal = (name: NodeJS.Signals) => void running.child.kill(name);
  const ended = async () => void (await running.end);
  await start();
  return {
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    folder,
    start,
    signal,
    ended,
    stop: async () => {
      signal('SIGKILL');
      await ended();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
