import type { Bookkeeping } from './bookkeeping/bookkeeping.ts';
import type { Run } from './bookkeeping/runs.ts';
import type { LegacyContext } from './legacy-context.ts';
import { type ImportPolicy, policyOf } from './policy.ts';
import { digestOfValues } from './records/legacy-record.ts';
import { Refusal } from './refusal.ts';
import { tablesInCommon } from './source/legacy-tables.ts';

/** What a command must have in common with the import. With another time zone or mapping, every row would look changed. */
export interface SameOptions {
  timeZone: string;
  /** True if the command copies or compares files. */
  needsFiles: boolean;
}

/**
 * Checks that an import has ended, and that it had the same options.
 * @returns what the import makes of administrators and doctors
 * @throws Refusal
 */
export async function requireImport(
  { bookkeeping, source, filesDir }: Pick<LegacyContext, 'bookkeeping' | 'source' | 'filesDir'>,
  { timeZone, needsFiles }: SameOptions,
): Promise<ImportPolicy> {
  const imports = (await bookkeeping.runs.all()).filter(({ command }) => command === 'import');
  const unfinished = imports.find(({ endedAt }) => endedAt === null);
  const last = imports.at(-1);
  if (last === undefined || unfinished) {
    throw new Refusal(
      unfinished
        ? `The import ${unfinished._id} has not ended. Run import again first.`
        : 'There was no import. Run import first.',
    );
  }
  const wanted = { timezone: timeZone, map: digestOfValues([tablesInCommon(source.tables)]) };
  const other = Object.entries(wanted).find(([name, value]) =>
    imports.some(({ options }) => options[name] !== value),
  );
  if (other) {
    throw new Refusal(`The import had another value of --${other[0]}. Give the one that it had.`);
  }
  if (needsFiles && filesDir === undefined && imports.some(({ options }) => options.files === 'taken')) {
    throw new Refusal('The import has copied files, so this command needs --files DIR, too.');
  }
  return policyOf(last.options);
}

/** Begins a run of a command. */
export async function beginRunOf(
  bookkeeping: Bookkeeping,
  command: Run['command'],
  now: Date,
  options: Run['options'] = {},
): Promise<Run> {
  const known = new Set((await bookkeeping.runs.all()).map(({ _id }) => _id));
  const id = runId(now);
  let _id = id;
  // Two short runs may begin in the same second.
  for (let number = 2; known.has(_id); number += 1) {
    _id = `${id}-${number}`;
  }
  const run: Run = { _id, command, startedAt: now, endedAt: null, options };
  await bookkeeping.runs.begin(run);
  return run;
}

/** An id that sorts by time and can be typed, such as `20260131-120000`. One command writes at a time. */
const runId = (now: Date): string => now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
