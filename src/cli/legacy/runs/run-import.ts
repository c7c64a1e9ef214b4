import { createInterface } from 'node:readline/promises';
import { isDatabaseFull } from '../../../database/database-errors.ts';
import { importLegacy } from '../../../legacy/import/import-legacy.ts';
import { beginRun, type ImportOptions, planImport } from '../../../legacy/import/plan-import.ts';
import { rehearse } from '../../../legacy/inspect/rehearse.ts';
import type { Finding, LegacyContext, Observer } from '../../../legacy/legacy-context.ts';
import { Refusal, Stopped } from '../../../legacy/refusal.ts';
import { messageOf } from '../../../system/system-errors.ts';
import type { Session } from '../commands/command.ts';
import type { LegacyOptions } from '../commands/legacy-options.ts';
import { withContext } from '../open-context.ts';
import { FindingCounts, findingLines, RunReport, readSummary } from '../output/run-report.ts';
import { summaryOf } from '../output/summary.ts';

/** An import as the command line asks for it. */
export interface GivenImport {
  legacy: LegacyOptions;
  admins: ImportOptions['admins'];
  isDryRun: boolean;
  isConfirmed: boolean;
}

/** Runs the command `import`. */
export async function runImport(session: Session, given: GivenImport): Promise<void> {
  const options = { admins: given.admins, timeZone: given.legacy.timeZone };
  const plan = await withContext(session, given.legacy, 'look', (context) => planImport(context, options));
  if (plan.kind === 'done') {
    await tellDone(session, plan.run._id);
    return;
  }
  if (given.isDryRun) {
    await withContext(session, given.legacy, 'look', (context) => rehearseImport(session, context));
    return;
  }
  if (!given.isConfirmed) {
    await confirm(session);
  }
  await withContext(session, given.legacy, 'write', (context) => act(session, context, options));
}

async function act(session: Session, context: LegacyContext, options: ImportOptions): Promise<void> {
  const { output, config } = session;
  const { source, bookkeeping, clock } = context;
  if (!(await source.lock())) {
    throw new Refusal('Another command of npm run legacy is running. Try again when it has ended.');
  }
  // Another command may have ended between the first look and the lock.
  const plan = await planImport(context, options);
  if (plan.kind === 'done') {
    return tellDone(session, plan.run._id);
  }
  const run = await beginRun(bookkeeping, plan, new Date(clock.now()));
  const report = await RunReport.open(config.legacy.reportsDir, run._id);
  output.note(`${plan.kind === 'continue' ? 'Going on with' : 'Beginning'} the import ${run._id}.`);
  try {
    const observer = observerOf(output, (finding) => report.found(finding));
    await importLegacy({ ...context, observer }, run._id).catch(asInterrupted);
    const summary = await summaryOf(bookkeeping, run, report, new Date(clock.now()));
    await report.summarize(summary.text, summary.json);
    await bookkeeping.end(run._id, new Date(clock.now()));
    output.line(summary);
  } finally {
    report.close();
  }
}

/** Tells what an import would do. */
async function rehearseImport({ output }: Session, context: LegacyContext): Promise<void> {
  const counts = new FindingCounts();
  const observer = observerOf(output, (finding) => counts.add(finding));
  const wouldTake = await rehearse({ ...context, observer });
  const { groups } = counts;
  output.line({
    text: [
      'Dry run: nothing was written. An import would take:',
      ...Object.entries(wouldTake).map(([kind, count]) => `  ${count} ${kind}`),
      ...findingLines(groups),
    ],
    json: { event: 'dry run', wouldTake, findings: groups },
  });
}

const observerOf = (output: Session['output'], add: (finding: Finding) => void): Observer => ({
  found(finding) {
    add(finding);
    output.found(finding);
  },
  progress: output.progress.bind(output),
});

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

/** @throws Refusal without the operator's consent */
async function confirm({ output, signal }: Session): Promise<void> {
  if (!process.stdin.isTTY || output.isJson) {
    throw new Refusal('Nothing was imported: without a terminal, the import needs --yes.');
  }
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await questions
    .question('Import now? [yes/no] ', { signal })
    .finally(() => questions.close());
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    throw new Refusal('Nothing was imported.');
  }
}
