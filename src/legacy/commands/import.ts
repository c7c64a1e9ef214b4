import { isDatabaseFull } from '../../database/database-errors.ts';
import { messageOf } from '../../system/system-errors.ts';
import { importLegacy } from '../import/import-legacy.ts';
import { beginRun, type ImportOptions, planImport } from '../import/plan-import.ts';
import { rehearse } from '../import/rehearse.ts';
import { type BatchKind, wasTaken } from '../journal/batch.ts';
import type { Journal } from '../journal/journal.ts';
import type { Run } from '../journal/runs.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { Stopped } from '../legacy-error.ts';
import { policyOf } from '../records/legacy-record.ts';
import { countSecondFactors, secondFactorLines } from '../source/second-factors.ts';
import { withContext } from './open-context.ts';
import {
  choiceOf,
  type LegacyInvocation,
  type LegacyOptions,
  legacyOptions,
  type PrepareAction,
} from './options.ts';
import { FindingCounts, findingLines, RunReport, readSummary } from './run-report.ts';
import { confirm, observed, takeLock } from './with-run.ts';

/** Reads the options of the command `import`. */
export const prepareTask: PrepareAction = (options) => {
  const given = {
    legacy: legacyOptions(options),
    admins: choiceOf('admins', options.admins, ['skip', 'refuse', 'reviewer']) ?? 'refuse',
    doctors: choiceOf('doctors', options.doctors, ['pending', 'verified']) ?? 'pending',
    isDryRun: options['dry-run'] ?? false,
    isConfirmed: options.yes ?? false,
  };
  return (invocation) => runImport(invocation, given);
};

/** The options of `import`. */
interface GivenImport extends Pick<ImportOptions, 'admins' | 'doctors'> {
  legacy: LegacyOptions;
  isDryRun: boolean;
  isConfirmed: boolean;
}

/** Runs the command `import`. */
async function runImport(invocation: LegacyInvocation, given: GivenImport): Promise<void> {
  const { admins, doctors } = given;
  const options = { admins, doctors, timeZone: given.legacy.timeZone };
  const policy = policyOf({ admins, doctors });
  const plan = await withContext(invocation, given.legacy, 'look', (context) => planImport(context, options));
  if (plan.kind === 'done') {
    await reportDone(invocation, plan.run._id);
    return;
  }
  if (given.isDryRun) {
    await withContext(invocation, given.legacy, 'look', (context) =>
      rehearseImport(invocation, { ...context, policy }),
    );
    return;
  }
  if (!given.isConfirmed) {
    await confirm(invocation, 'Import now?', { command: 'the import', done: 'imported' });
  }
  await withContext(invocation, given.legacy, 'write', (context) =>
    act(invocation, { ...context, policy }, options),
  );
}

async function act(
  invocation: LegacyInvocation,
  context: LegacyContext,
  options: ImportOptions,
): Promise<void> {
  const { output, config } = invocation;
  const { journal, source, clock } = context;
  await takeLock(context);
  // Another command may have ended between the first look and the lock.
  const plan = await planImport(context, options);
  if (plan.kind === 'done') {
    return reportDone(invocation, plan.run._id);
  }
  const secondFactors = await countSecondFactors(source);
  const run = await beginRun(journal, plan, new Date(clock.now()));
  const report = await RunReport.open(config.legacy.reportsDir, run._id);
  output.note(`${plan.kind === 'continue' ? 'Going on with' : 'Beginning'} the import ${run._id}.`);
  try {
    const reported = observed(context, invocation, (finding) => report.found(finding));
    await importLegacy(reported, run._id).catch(asInterrupted);
    const found = { secondFactors, endedAt: new Date(clock.now()) };
    const summary = await summaryOf(journal, run, report, found);
    await report.summarize(summary.text, summary.json);
    await journal.runs.end(run._id, new Date(clock.now()));
    output.line(summary);
  } finally {
    report.close();
  }
}

function asInterrupted(cause: unknown): never {
  if (cause instanceof Stopped) {
    throw cause;
  }
  const reason = isDatabaseFull(cause) ? "The disk of the gateway's database is full." : messageOf(cause);
  const text = `${reason}\nWhat was imported stays. Run the same command again to continue.`;
  throw new Error(text, { cause });
}

const KINDS: readonly BatchKind[] = ['accounts', 'profiles', 'files', 'tokens'];

/**
 * The summary of an import, for people and for programs.
 * @param secondFactors how many accounts have one there
 */
async function summaryOf(
  journal: Journal,
  { _id, startedAt, options }: Run,
  { counts, folder }: RunReport,
  { secondFactors, endedAt }: { secondFactors: number; endedAt: Date },
): Promise<{ text: string[]; json: object }> {
  const taken: Record<string, number> = {};
  for (const kind of KINDS) {
    taken[kind] = await countTaken(journal, kind);
  }
  const { groups } = counts;
  const text = [
    `Import ${_id}, begun ${startedAt.toISOString()}, ended ${endedAt.toISOString()}`,
    ...Object.entries(taken).map(([kind, count]) => `  ${count} ${kind} taken`),
    ...findingLines(groups),
    ...secondFactorLines(secondFactors),
    `Every row that was not taken: ${folder}/report.ndjson`,
  ];
  const json = { event: 'summary', run: _id, startedAt, endedAt, options, taken, secondFactors };
  return { text, json: { ...json, findings: groups, folder } };
}

async function countTaken(journal: Journal, kind: BatchKind): Promise<number> {
  let count = 0;
  for await (const { rows } of journal.batches(kind)) {
    count += rows.filter(wasTaken).length;
  }
  return count;
}

/** Tells what an import would do. */
async function rehearseImport(invocation: LegacyInvocation, context: LegacyContext): Promise<void> {
  const counts = new FindingCounts();
  const wouldTake = await rehearse(observed(context, invocation, (finding) => counts.add(finding)));
  const secondFactors = await countSecondFactors(context.source);
  const { groups } = counts;
  invocation.output.line({
    text: [
      'Dry run: nothing was written. An import would take:',
      ...Object.entries(wouldTake).map(([kind, count]) => `  ${count} ${kind}`),
      ...findingLines(groups),
      ...secondFactorLines(secondFactors),
    ],
    json: { event: 'dry run', wouldTake, secondFactors, findings: groups },
  });
}

async function reportDone({ output, config }: LegacyInvocation, run: string): Promise<void> {
  const summary = await readSummary(config.legacy.reportsDir, run);
  const text = `The import ${run} has ended before. Nothing was changed. The command sync takes what has changed there since.`;
  output.line({
    text: [text, ...(summary === undefined ? [] : ['', ...summary.trimEnd().split('\n')])],
    json: { event: 'done', run },
  });
}
