import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MILLIS = 50;
const BEAT_MILLIS = 1_000;
/** A holder that has not touched its lock for so long is gone. Measured by the one that waits, with a clock nobody sets. */
const GONE_MILLIS = 10_000;

/**
 * Runs `act` while no other process does so with the same file. A lock that a killed process has left is taken over.
 * @throws Error with a `syscall` if the file cannot be written
 * @param onWait called once if another process has the lock, with its id
 */
export async function withLock(file, act, onWait = () => {}) {
  mkdirSync(path.dirname(file), { recursive: true });
  await take(file, onWait);
  const beat = setInterval(() => touch(file), BEAT_MILLIS);
  try {
    return await act();
  } finally {
    clearInterval(beat);
    if (read(file) === mark()) {
      rmSync(file, { force: true });
    }
  }
}

const mark = () => JSON.stringify({ pid: process.pid, host: hostname() });

async function take(file, onWait) {
  let seen;
  let seenAt = performance.now();
  while (!create(file)) {
    const text = read(file);
    const now = performance.now();
    const sight = `${text} ${timeOf(file)}`;
    if (sight !== seen) {
      if (seen === undefined) {
        onWait(holderOf(text)?.pid);
      }
      [seen, seenAt] = [sight, now];
    }
    const isGone = now - seenAt > GONE_MILLIS;
    if (isGone && text === undefined) {
      throw Object.assign(new Error(`${file} cannot be written`), { syscall: 'open' });
    }
    if (isGone || hasEnded(holderOf(text))) {
      rmSync(file, { force: true });
    } else {
      await sleep(POLL_MILLIS);
    }
  }
}

function create(file) {
  try {
    writeFileSync(file, mark(), { flag: 'wx' });
    return true;
  } catch (error) {
    // Windows answers EPERM while the file is being removed.
    if (error.code === 'EEXIST' || error.code === 'EPERM') {
      return false;
    }
    throw error;
  }
}

/** What is in the lock; undefined without one. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The time shows the one that waits that the holder is alive. */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Somebody has removed the lock. Nothing depends on it beyond double work.
  }
}

const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** The process that wrote the lock; undefined if it was killed while it wrote. */
function holderOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if the process has ended. Of another machine or container with the same folder, this cannot be known. */
function hasEnded(holder) {
  if (holder?.host !== hostname()) {
    return false;
  }
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
