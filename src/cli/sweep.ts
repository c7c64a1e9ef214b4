import { openStorage } from '../app/storage.ts';
import { countByKind, type Sweep, type Swept } from '../auth/sweep/sweep.ts';
import { readConfig } from '../config/config.ts';
import { refuseMemory } from '../database/open-beside-gateway.ts';
import { TRASH_DAYS } from '../stores/doctors.ts';
import { systemClock } from '../system/clock.ts';
import { type Action, type CommandGroup, type OptionsOf, runnerOf, UsageError } from './command-line.ts';
import { type Line, printAll } from './print.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  restore: { type: 'boolean' },
  adopt: { type: 'boolean' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const NOTES = `  --dry-run only lists what would be removed.
  --restore brings documents and profiles back from the trash instead. It overwrites nothing.
  --adopt marks the document store as that of this database instead. Use it if the log says that the
    sweep removes nothing: docs/operations/documents.md lists the causes.
  --force removes even most of what is stored. With --adopt: even if no document of the store
    belongs to an account.
  --json prints one JSON object per line: one for each entry, and one for the result.
  Exit codes: 0 done; 1 failed; 2 wrong command line.
`;

/** Sweeps the storage once, brings back what sweeps have removed, or marks the document store as that of this database. */
const SWEEP: CommandGroup<typeof OPTIONS> = {
  name: 'auth-gateway sweep',
  options: OPTIONS,
  forAll: ['json', 'help'],
  commands: new Map([
    [
      '',
      {
        usage: '[--dry-run | --restore | --adopt] [--force] [--json]',
        summary: `Removes uploads, documents, profiles and access tokens that no account owns and that are over an hour old, as the gateway does at its start and every hour. Documents and profiles go to a trash for ${TRASH_DAYS} days. With the embedded database, stop the gateway first.`,
        options: ['dry-run', 'restore', 'adopt', 'force'],
        prepare: (values) => prepareSweep(values),
      },
    ],
  ]),
  notes: NOTES,
};

export const run = runnerOf(SWEEP);

/** @throws UsageError */
function prepareSweep({
  'dry-run': dryRun = false,
  restore = false,
  adopt = false,
  force = false,
}: OptionsOf<typeof OPTIONS>): Action {
  if ([dryRun, restore, adopt].filter(Boolean).length > 1) {
    throw new UsageError('--dry-run, --restore and --adopt exclude each other.');
  }
  return async ({ environment, isJson, stdout }) => {
    const config = readConfig(environment());
    // Beside an empty database, all documents would be orphans.
    refuseMemory(config.database);
    const { sweep, close } = await openStorage(config, systemClock);
    const act = () => {
      if (restore) {
        return restoreTrash(sweep);
      }
      return adopt ? adoptStore(sweep, force) : sweepOnce(sweep, { dryRun, force });
    };
    await printAll(act(), isJson, stdout).finally(close);
    return 0;
  };
}

async function* restoreTrash(sweep: Sweep): AsyncGenerator<Line> {
  yield* linesOf(await sweep.restore(), 'Back from the trash');
}

async function* sweepOnce(sweep: Sweep, options: { dryRun: boolean; force: boolean }): AsyncGenerator<Line> {
  const { removed, restored } = await sweep.run(options);
  yield* linesOf(removed, options.dryRun ? 'Would remove' : 'Removed');
  const obstacle = options.dryRun ? await sweep.pairing.obstacle() : undefined;
  if (obstacle !== undefined) {
    yield { text: `But ${obstacle}`, json: { obstacle } };
  }
  if (restored.length > 0) {
    yield* linesOf(restored, 'Back from the trash');
  }
}

function* linesOf(swept: Swept[], heading: string): Generator<Line> {
  for (const { kind, id } of swept) {
    yield { text: `${kind} ${id}`, json: { kind, id } };
  }
  const counts = countByKind(swept);
  const texts = Object.entries(counts).map(([kind, count]) => `${count} ${kind}s`);
  yield { text: `${heading}: ${texts.join(', ') || 'nothing'}`, json: { result: heading, counts } };
}

async function* adoptStore(sweep: Sweep, force: boolean): AsyncGenerator<Line> {
  const { examined, orphans } = await sweep.pairing.adopt(force);
  const text = [
    'The document store now belongs to this database.',
    `Of ${examined} documents, ${orphans.length} belong to no account: a sweep moves them to the trash.`,
  ];
  yield { text, json: { result: 'adopted', examined, orphans: orphans.length } };
}
