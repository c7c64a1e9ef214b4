import { type BackResult, back } from '../../../legacy/back/back.ts';
import type { Finding } from '../../../legacy/legacy-context.ts';
import { requireImport } from '../../../legacy/runs.ts';
import type { Session } from '../commands/command.ts';
import type { LegacyOptions } from '../commands/legacy-options.ts';
import { withContext } from '../open-context.ts';
import { FindingCounts, findingLines } from '../output/run-report.ts';
import { confirm } from './confirm.ts';
import { asRun, type Counts, countLines, takeLock } from './with-run.ts';

/** The way back as the command line asks for it. */
export interface GivenBack {
  legacy: LegacyOptions;
  isDryRun: boolean;
  isConfirmed: boolean;
}

/** Runs the command `back`. */
export const runBack = (session: Session, { legacy, isDryRun, isConfirmed }: GivenBack): Promise<void> =>
  withContext(session, legacy, 'beside', async (context) => {
    const { timeZone } = legacy;
    await requireImport(context, { timeZone, needsFiles: true });
    if (!isDryRun) {
      if (!isConfirmed) {
        await confirm(session, "Write to the legacy service's database?");
      }
      await takeLock(context);
      await asRun(session, context, 'back', async (reporting, { _id }) =>
        countsOf(await back(reporting, { run: _id, timeZone, isDryRun })),
      );
      return;
    }
    const { output } = session;
    const findings = new FindingCounts();
    const found = (finding: Finding) => {
      findings.add(finding);
      output.found(finding);
    };
    const observer = { found, progress: output.progress.bind(output) };
    const counts = countsOf(await back({ ...context, observer }, { run: '', timeZone, isDryRun }));
    output.line({
      text: ['back would write:', ...countLines(counts), ...findingLines(findings.groups)],
      json: { event: 'summary', command: 'back', dryRun: true, counts, findings: findings.groups },
    });
  });

const countsOf = ({ written, files }: BackResult): Counts => ({
  ...Object.fromEntries(
    Object.entries(written).flatMap(([kind, { added, changed, removed }]) => [
      [`${kind} added`, added],
      [`${kind} changed`, changed],
      [`${kind} removed`, removed],
    ]),
  ),
  'files copied': files,
});
