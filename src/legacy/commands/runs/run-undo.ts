import { requireRun, undo } from '../../undo/undo.ts';
import type { Session } from '../command.ts';
import type { LegacyOptions } from '../legacy-options.ts';
import { withContext } from '../open-context.ts';
import { findingLines, RunReport } from '../output/run-report.ts';
import { confirm } from './confirm.ts';
import { countLines, observed, takeLock } from './with-run.ts';

/** What is to be taken back, as the command line names it. */
export interface GivenUndo {
  legacy: LegacyOptions;
  run: string;
  isConfirmed: boolean;
}

/** Runs the command `undo`. */
export const runUndo = (session: Session, { legacy, run: id, isConfirmed }: GivenUndo): Promise<void> =>
  withContext(session, legacy, 'beside', async (context) => {
    const run = await requireRun(context, id);
    if (!isConfirmed) {
      await confirm(session, `Take back the ${run.command} ${id}?`);
    }
    await takeLock(context);
    const report = await RunReport.open(session.config.legacy.reportsDir, `${id}-undo`);
    try {
      const { removed, kept } = await undo(
        observed(context, session, (finding) => report.found(finding)),
        id,
      );
      const named = Object.entries(removed).map(([kind, count]) => [`${kind} removed`, count]);
      const counts = { ...Object.fromEntries(named), kept };
      const { groups } = report.counts;
      const text = [`undo of ${run.command} ${id}`, ...countLines(counts), ...findingLines(groups)];
      const json = {
        event: 'summary',
        command: 'undo',
        run: id,
        counts,
        findings: groups,
        folder: report.folder,
      };
      await report.summarize(text, json);
      session.output.line({ text, json });
    } finally {
      report.close();
    }
  });
