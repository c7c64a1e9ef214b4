import type { Session } from '../commands/command.ts';
import type { LegacyOptions } from '../commands/legacy-options.ts';
import { withContext } from '../open-context.ts';
import { confirm } from './confirm.ts';
import { takeLock } from './with-run.ts';

/** Runs the command `finish`. */
export const runFinish = (
  session: Session,
  { legacy, isConfirmed }: { legacy: LegacyOptions; isConfirmed: boolean },
): Promise<void> =>
  withContext(session, legacy, 'beside', async (context) => {
    if (!isConfirmed) {
      await confirm(session, 'Forget what the import remembers? There is no way back then.');
    }
    await takeLock(context);
    await context.bookkeeping.drop();
    session.output.line({
      text: `What the import remembered is forgotten. The reports stay in ${session.config.legacy.reportsDir}.`,
      json: { event: 'finished' },
    });
  });
