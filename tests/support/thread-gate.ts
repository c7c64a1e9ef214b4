import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/** Prevents password hashes from running. */
export interface ThreadGate {
  /** Lets the hashes run. Calling it again does nothing. */
  open(): Promise<void>;
}

/**
 * Blocks every thread on which this process hashes passwords, without any work: to open a named pipe for reading waits for a
 * writer. Files and host names need the same threads.
 */
export async function closeThreadGate(): Promise<ThreadGate> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-gate-'));
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const openings = Array.from({ length: THREADS }, () => open(pipe, 'r'));
  let isOpen = false;
  return {
    open: async () => {
      if (isOpen) {
        return;
      }
      isOpen = true;
      const writer = openSync(pipe, 'w');
      const readers = await Promise.all(openings);
      closeSync(writer);
      await Promise.all(readers.map((reader) => reader.close()));
      await rm(folder, { recursive: true });
    },
  };
}
