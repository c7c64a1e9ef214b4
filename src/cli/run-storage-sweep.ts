import { openStorage } from '../app/storage.ts';
import { countByKind, type Sweep, type Swept } from '../auth/sweep/sweep.ts';
import { type Environment, readConfig } from '../config/config.ts';
import { refuseMemory } from '../database/open-beside-gateway.ts';
import { TRASH_DAYS } from '../stores/doctors.ts';
import { systemClock } from '../system/clock.ts';
import { parseWords, UsageError } from './command-words.ts';
import type { Outputs } from './print.ts';
import { runProgram } from './run-program.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  restore: { type: 'boolean' },
  adopt: { type: 'boolean' },
  force: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const HELP = `usage: npm run storage:sweep -- [--dry-run | --restore | --adopt] [--force]

  Removes uploads, documents, profiles and access tokens that no account owns and that are over an
  hour old, as the gateway does at its start and every hour. Documents and profiles go to a trash
  for ${TRASH_DAYS} days. With the embedded database, stop the gateway first.

  --dry-run only lists what would be removed.
  --restore brings documents and profiles back from the trash instead. It overwrites nothing.
  --adopt marks the document store as that of this database instead. Use it if the log says that the
    sweep removes nothing: docs/operations/documents.md lists the causes.
  --force removes even most of what is stored. With --adopt: even if no document of the store
    belongs to an account.
  Exit codes: 0 done; 1 failed; 2 wrong command line.
`;

type Write = (line: string) => void;

/**
 * Sweeps the storage once, brings back what sweeps have removed, or marks the document store as that of this database.
 * @param words the command line after the program's name
 * @param environment returns the settings; the help works without them
 * @returns the exit code: 0 done, 1 failed, 2 a wrong command line
 */
export function runStorageSweep(
  words: string[],
  environment: () => Environment,
  { stdout, stderr }: Outputs,
): Promise<0 | 1 | 2> {
  return runProgram('storage:sweep', stderr, async () => {
    const { values, positionals } = parseWords(words, OPTIONS);
    const { 'dry-run': dryRun = false, restore = false, adopt = false, force = false, help } = values;
    if (help) {
      stdout.write(HELP);
      return;
    }
    if (positionals.length > 0) {
      throw new UsageError('There are only options.');
    }
    if ([dryRun, restore, adopt].filter(Boolean).length > 1) {
      throw new UsageError('--dry-run, --restore and --adopt exclude each other.');
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
  });
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
