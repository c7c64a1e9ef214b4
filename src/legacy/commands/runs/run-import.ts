import { isDatabaseFull } from '../../../database/database-errors.ts';
import { messageOf } from '../../../system/system-errors.ts';
import { importLegacy } from '../../import/import-legacy.ts';
import { beginRun, type ImportOptions, planImport } from '../../import/plan-import.ts';
import { rehearse } from '../../inspect/rehearse.ts';
import type { LegacyContext } from '../../legacy-context.ts';
import { policyOf } from '../../policy.ts';
import { Stopped } from '../../refusal.ts';
import type { Session } from '../command.ts';
import type { LegacyOptions } from '../legacy-options.ts';
import { withContext } from '../open-context.ts';
import { FindingCounts, findingLines, RunReport, readSummary } from '../output/run-report.ts';
import { summaryOf } from '../output/summary.ts';
import { confirm } from './confirm.ts';
import { observed, takeLock } from './with-run.ts';

/** An import as the command line asks for it. */
export interface GivenImport extends Pick<ImportOptions, 'admins' | 'doctors'> {
  legacy: LegacyOptions;
  isDryRun: boolean;
  isConfirmed: boolean;
}

/** Runs the command `import`. */
export async function runImport(session: Session, given: GivenImport): Promise<void> {
  const { admins, doctors } = given;
  const options = { admins, doctors, timeZone: given.legacy.timeZone };
  const policy = policyOf({ admins, doctors });
  const plan = await withContext(session, given.legacy, 'look', (context) => planImport(context, options));
  if (plan.kind === 'done') {
    await tellDone(session, plan.run._id);
    return;
  }
  if (given.isDryRun) {
    await withContext(session, given.legacy, 'look', (context) =>
      rehearseImport(session, { ...context, policy }),
    );
    return;
  }
  if (!given.isConfirmed) {
    await confirm(session, 'Import now?', { command: 'the import', done: 'imported' });
  }
  await withContext(session, given.legacy, 'write', (context) =>
    act(session, { ...context, policy }, options),
  );
}

async function act(session: Session, context: LegacyContext, options: ImportOptions): Promise<void> {
  const { output, config } = session;
  const { bookkeeping, clock } = context;
  await takeLock(context);
  // Another command may have ended between the first look and the lock.
  const plan = await planImport(context, options);
  if (plan.kind === 'done') {
    return tellDone(session, plan.run._id);
  }
  const run = await beginRun(bookkeeping, plan, new Date(clock.now()));
  const report = await RunReport.open(config.legacy.reportsDir, run._id);
  output.note(`${plan.kind === 'continue' ? 'Going on with' : 'Beginning'} the import ${run._id}.`);
  try {
    const reported = observed(context, session, (finding) => report.found(finding));
    await importLegacy(reported, run._id).catch(asInterrupted);
    const summary = await summaryOf(bookkeeping, run, report, new Date(clock.now()));
    await report.summarize(summary.text, summary.json);
    await bookkeeping.runs.end(run._id, new Date(clock.now()));
    output.line(summary);
  } finally {
    report.close();
  }
}

/** Tells what an import would do. */
async function rehearseImport(session: Session, context: LegacyContext): Promise<void> {
  const counts = new FindingCounts();
  const wouldTake = await rehearse(observed(context, session, (finding) => counts.add(finding)));
  const { groups } = counts;
  session.output.line({
    text: [
      'Dry run: nothing was written. An import would take:',
      ...Object.entries(wouldTake).map(([kind, count]) => `  ${count} ${kind}`),
      ...findingLines(groups),
    ],
    json: { event: 'dry run', wouldTake, findings: groups },
  });
}

function asInterrupted(cause: unknown): never {
  if (cause instanceof Stopped) {
    throw cause;
  }
  const reason = isDatabaseFull(cause) ? "The disk of the gateway's database is full." : messageOf(cause);
  const text = `${reason}\nWhat was imported stays. The same command goes on where this one was.`;
  throw new Error(text, { cause });
}

async function tellDone({ output, config }: Session, run: string): Promise<void> {
  const summary = await readSummary(config.legacy.reportsDir, run);
  const text = `The import ${run} has ended before. Nothing was changed. The command sync takes what has changed there since.`;
  output.line({
    text: [text, ...(summary === undefined ? [] : ['', ...summary.trimEnd().split('\n')])],
    json: { event: 'done', run },
  });
}
