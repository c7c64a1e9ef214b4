import { parseArgs } from 'node:util';
import { openStorage } from '../app/storage.ts';
import { countByKind, type Sweep, type Swept } from '../auth/sweep/sweep.ts';
import { type Environment, readConfig } from '../config/config.ts';
import { refuseMemory } from '../database/open-beside-gateway.ts';
import { systemClock } from '../system/clock.ts';
import { messageOf } from '../system/system-errors.ts';
import type { Outputs } from './print.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  restore: { type: 'boolean' },
  adopt: { type: 'boolean' },
  force: { type: 'boolean' },
} as const;

type Write = (line: string) => void;

/**
 * Sweeps the storage once, brings back what sweeps have removed, or marks the document store as that of this database.
 * @param words the command line after the program's name
 * @param environment returns the settings
 * @returns the exit code: 0 done, 1 failed
 */
export async function runStorageSweep(
  words: string[],
  environment: () => Environment,
  { stdout, stderr }: Outputs,
): Promise<0 | 1> {
  try {
    const { values } = parseArgs({ args: words, options: OPTIONS });
    const { 'dry-run': dryRun = false, restore = false, adopt = false, force = false } = values;
    if ([dryRun, restore, adopt].filter(Boolean).length > 1) {
      throw new Error('--dry-run, --restore and --adopt exclude each other');
    }
    const config = readConfig(environment());
    // Beside an empty database, all documents would be orphans.
    refuseMemory(config.database);
    const storage = await openStorage(config, systemClock);
    const write = (line: string) => void stdout.write(`${line}\n`);
    const act = () => {
      if (restore) {
        return storage.sweep.restore().then((restored) => writeList(restored, 'Back from the trash', write));
      }
      return adopt
        ? adoptStore(storage.sweep, force, write)
        : sweepOnce(storage.sweep, { dryRun, force }, write);
    };
    await act().finally(storage.close);
    return 0;
  } catch (error) {
    stderr.write(`storage:sweep: ${messageOf(error)}\n`);
    return 1;
  }
}

async function sweepOnce(
  sweep: Sweep,
  options: { dryRun: boolean; force: boolean },
  write: Write,
): Promise<void> {
  const { removed, restored } = await sweep.run(options);
  writeList(removed, options.dryRun ? 'Would remove' : 'Removed', write);
  const obstacle = options.dryRun ? await sweep.pairing.obstacle() : undefined;
  if (obstacle !== undefined) {
    write(`But ${obstacle}`);
  }
  if (restored.length > 0) {
    writeList(restored, 'Back from the trash', write);
  }
}

function writeList(swept: Swept[], heading: string, write: Write): void {
  for (const { kind, id } of swept) {
    write(`${kind} ${id}`);
  }
  const counts = Object.entries(countByKind(swept)).map(([kind, count]) => `${count} ${kind}s`);
  write(`${heading}: ${counts.join(', ') || 'nothing'}`);
}

async function adoptStore(sweep: Sweep, force: boolean, write: Write): Promise<void> {
  const { examined, orphans } = await sweep.pairing.adopt(force);
  write('The document store now belongs to this database.');
  write(`Of ${examined} documents, ${orphans.length} belong to no account: a sweep moves them to the trash.`);
}
