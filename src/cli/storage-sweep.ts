import { parseArgs } from 'node:util';
import { openStorage } from '../app/open-storage.ts';
import { loadEnvironment, readConfig } from '../config/config.ts';
import { countByKind } from '../sweep/sweep-schedule.ts';
import { systemClock } from '../system/clock.ts';
import { messageOf } from '../system/system-errors.ts';

/*
 * npm run storage:sweep: runs the sweep that the gateway runs at its start and every hour, and lists the removed orphans.
 * With `-- --dry-run` it only lists them. With `-- --force` it also removes most of the documents, if they are orphans.
 * With the embedded database, stop the gateway first.
 */
try {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } });
  const { 'dry-run': dryRun = false, force = false } = values;
  const storage = await openStorage(readConfig(loadEnvironment()), systemClock);
  const swept = await storage.sweep.run({ dryRun, force }).finally(storage.close);
  for (const { kind, id } of swept) {
    process.stdout.write(`${kind} ${id}\n`);
  }
  const counts = Object.entries(countByKind(swept)).map(([kind, count]) => `${count} ${kind}s`);
  process.stdout.write(`${dryRun ? 'Would remove' : 'Removed'}: ${counts.join(', ') || 'nothing'}\n`);
} catch (error) {
  process.stderr.write(`storage:sweep: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
