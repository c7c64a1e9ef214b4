import { askOperator } from '../../cli/prompt.ts';
import type { Run } from '../journal/runs.ts';
import type { InvalidRow, LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import type { LegacyInvocation } from './options.ts';
import { findingLines, RunReport } from './run-report.ts';

/** @throws Refusal if another command has the lock */
export async function takeLock({ source }: LegacyContext): Promise<void> {
  if (!(await source.lock())) {
    throw new LegacyError('Another command of auth-gateway legacy is running. Try again when it has ended.');
  }
}

/**
 * Asks the operator.
 * @param question a sentence that ends with a question mark
 * @param words for the refusal: what needs the consent, and what it has not done
 * @throws Refusal without the operator's consent
 */
export async function confirm(
  { output, signal }: LegacyInvocation,
  question: string,
  { command, done } = { command: 'this command', done: 'changed' },
): Promise<void> {
  const answer = output.isJson ? undefined : await askOperator(question, signal);
  if (answer === undefined) {
    throw new LegacyError(`Nothing was ${done}: without a terminal, ${command} needs --yes.`);
  }
  if (!answer) {
    throw new LegacyError(`Nothing was ${done}.`);
  }
}

/**
 * Shows progress and findings to the operator or a program.
 * @param add gets each finding, too, such as for the report
 */
export const observed = (
  context: LegacyContext,
  { output }: LegacyInvocation,
  add: (finding: InvalidRow) => void,
): LegacyContext => ({
  ...context,
  observer: {
    found(finding) {
      add(finding);
      output.found(finding);
    },
    progress: output.progress.bind(output),
  },
});

/** What a command says at its end: the numbers by their names. */
export type RunCounts = Readonly<Record<string, number>>;

/** Runs a command that writes, with a run and a report of its own. The context has the lock. */
export async function asRun(
  invocation: LegacyInvocation,
  context: LegacyContext,
  command: Run['command'],
  act: (context: LegacyContext, run: Run) => Promise<RunCounts>,
): Promise<void> {
  const { journal, clock } = context;
  const run = await journal.runs.begin(command, new Date(clock.now()));
  const report = await RunReport.open(invocation.config.legacy.reportsDir, run._id);
  try {
    const counts = await act(
      observed(context, invocation, (finding) => report.found(finding)),
      run,
    );
    const endedAt = new Date(clock.now());
    const summary = summaryOf(run, counts, report, endedAt);
    await report.summarize(summary.text, summary.json);
    await journal.runs.end(run._id, endedAt);
    invocation.output.line(summary);
  } finally {
    report.close();
  }
}

function summaryOf({ _id, command, startedAt }: Run, counts: RunCounts, report: RunReport, endedAt: Date) {
  const { groups } = report.counts;
  const text = [
    `${command} ${_id}, begun ${startedAt.toISOString()}, ended ${endedAt.toISOString()}`,
    ...countLines(counts),
    ...findingLines(groups),
    `Report: ${report.folder}/report.ndjson`,
  ];
  const json = { event: 'summary', command, run: _id, startedAt, endedAt, counts, findings: groups };
  return { text, json: { ...json, folder: report.folder } };
}

/** Lines about numbers for people, without those that are 0. */
export const countLines = (counts: RunCounts): string[] => {
  const lines = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `  ${count} ${name}`);
  return lines.length > 0 ? lines : ['  nothing was changed'];
};
