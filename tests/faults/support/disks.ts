import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { allFiles } from '../../documents/support/aftermath.ts';
import type { GatewayProcess, Workshop } from '../../support/gateway-process.ts';

const execute = promisify(execFile);

/** A disk that can be filled while a process uses it, and get room again. */
export interface Disk {
  folder: string;
  /** @param pid the process whose disk this is */
  fill(pid: number): Promise<void>;
  makeRoom(pid: number): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A limit on the size of the files that the process writes, so that no file can grow. The system refuses a write in the same
 * place as on a full disk (EFBIG instead of ENOSPC). It needs no special rights.
 */
async function limitedFiles(): Promise<Disk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-limited-'));
  const limit = (pid: number, size: string) => execute('prlimit', ['--pid', String(pid), `--fsize=${size}:`]);
  return {
    folder,
    fill: async (pid) => {
      const files = await Promise.all((await allFiles(folder)).map((file) => stat(path.join(folder, file))));
      await limit(pid, String(Math.max(0, ...files.map(({ size }) => size))));
    },
    makeRoom: async (pid) => void (await limit(pid, 'unlimited')),
    remove: () => rm(folder, { recursive: true }),
  };
}

const mount = (folder: string): string[] => ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder];

/** A separate file system with another file that takes all free space. */
async function smallFileSystem(): Promise<Disk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-small-'));
  await execute('mount', mount(folder));
  const filler = path.join(folder, 'filler');
  const page = Buffer.alloc(4096);
  return {
    folder,
    fill: async () => {
      let isFull = false;
      while (!isFull) {
        isFull = await appendFile(filler, page).then(
          () => false,
          (error: NodeJS.ErrnoException) => error.code === 'ENOSPC',
        );
      }
    },
    makeRoom: () => rm(filler),
    remove: async () => {
      await execute('umount', [folder]);
      await rm(folder, { recursive: true });
    },
  };
}

/** Root may mount, but not in most containers. */
function mayMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-mount-'));
  try {
    execFileSync('mount', mount(folder), { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The kinds of disks that can be filled here: one at least. */
export const DISKS: { name: string; openDisk: () => Promise<Disk> }[] = [
  { name: 'a limit on the size of files', openDisk: limitedFiles },
  ...(mayMount() ? [{ name: 'a file system of its own', openDisk: smallFileSystem }] : []),
];

/** A disk of a kind with a gateway on it, for each test of a block. */
export function useDisk(
  workshop: Workshop,
  openDisk: () => Promise<Disk>,
  settingsOn: (folder: string) => Record<string, undefined | string>,
) {
  const used = {} as { disk: Disk; gateway: GatewayProcess; url: string };
  const start = async () => {
    used.gateway = workshop.start({ ...settingsOn(used.disk.folder), RATE_LIMIT: 'off' });
    used.url = await used.gateway.url();
  };
  const kill = async () => {
    await used.gateway.kill();
  };
  beforeEach(async () => {
    used.disk = await openDisk();
    await start();
  });
  afterEach(async () => {
    await kill();
    await used.disk.remove();
  });
  return Object.assign(used, { start, kill });
}
