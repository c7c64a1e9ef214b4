import { parseArgs } from 'node:util';
import { openStorage } from '../../app/open-storage.ts';
import { type Environment, readConfig } from '../../config/config.ts';
import { refuseMemory } from '../../database/open-beside-gateway.ts';
import { countByKind } from '../../sweep/sweep-schedule.ts';
import { systemClock } from '../../system/clock.ts';
import { messageOf } from '../../system/system-errors.ts';
import type { Outputs } from '../outputs.ts';

const OPTIONS = { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } as const;

/**
 * Sweeps the storage once.
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
    const { 'dry-run': dryRun = false, force = false } = values;
    const config = readConfig(environment());
    // Beside an empty database, all documents would be orphans.
    refuseMemory(config.database);
    const storage = await openStorage(config, systemClock);
    const swept = await storage.sweep.run({ dryRun, force }).finally(storage.close);
    for (const { kind, id } of swept) {
      stdout.write(`${kind} ${id}\n`);
    }
    const counts = Object.entries(countByKind(swept)).map(([kind, count]) => `${count} ${kind}s`);
    stdout.write(`${dryRun ? 'Would remove' : 'Removed'}: ${counts.join(', ') || 'nothing'}\n`);
    return 0;
  } catch (error) {
    stderr.write(`storage:sweep: ${messageOf(error)}\n`);
    return 1;
  }
}
