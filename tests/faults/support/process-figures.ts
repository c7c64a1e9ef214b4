import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const MIB = 1024 * 1024;

/** The figures of Linux about a running process. */
export interface ProcessFigures {
  memoryMib: number;
  /** The most that it has had so far. */
  peakMib: number;
  descriptors: number;
  /** Of all its threads, in user and kernel mode. */
  cpuMillis: number;
}

/** Linux counts in hundredths of a second, on every kernel (`getconf CLK_TCK`). */
const TICK_MILLIS = 10;

/** @param pid of a process of one's own */
export function figuresOf(pid: number): ProcessFigures {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  const status = read('status');
  const mib = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / MIB;
  // The name of the program may have spaces in it; what follows has none.
  const [, , ...fields] = read('stat')
    .replace(/\(.*\)/, '')
    .split(/\s+/);
  const [user = 0, system = 0] = fields.slice(10, 12).map(Number);
  return {
    memoryMib: mib('VmRSS'),
    peakMib: mib('VmHWM'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    cpuMillis: (user + system) * TICK_MILLIS,
  };
}

/** How many descriptors a process may have open here. */
export function mostDescriptors(): number {
  const limit = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim();
  return limit === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(limit);
}

/** Changes how many descriptors a running process may open. */
export function limitDescriptors(pid: number, most: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);
}
