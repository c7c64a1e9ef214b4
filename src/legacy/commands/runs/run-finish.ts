import { randomUUID } from 'node:crypto';
import { createLog } from '../../../system/log.ts';
import { accountsToErase, deletedProfiles, removeDeleted } from '../../finish/finish.ts';
import type { LegacyContext } from '../../legacy-context.ts';
import { policyOf } from '../../policy.ts';
import type { Session } from '../command.ts';
import type { LegacyOptions } from '../legacy-options.ts';
import { withContext } from '../open-context.ts';
import { confirm } from './confirm.ts';
import { takeLock } from './with-run.ts';

/** How many ids are named. */
const SHOWN_IDS = 10;

/** Runs the command `finish`. After a kill, the same command completes it. */
export const runFinish = (
  session: Session,
  { legacy, isConfirmed }: { legacy: LegacyOptions; isConfirmed: boolean },
): Promise<void> =>
  withContext(session, legacy, 'beside', async (context) => {
    const last = (await context.bookkeeping.runs.all()).findLast(({ command }) => command === 'import');
    const known = { ...context, policy: policyOf(last?.options ?? {}) };
    const ids = await accountsToErase(known);
    const profiles = await deletedProfiles(known);
    if (!isConfirmed) {
      const erased = [
        ...(ids.length > 0 ? [`${ids.length} accounts`] : []),
        ...(profiles.unchanged.length > 0 ? [`${profiles.unchanged.length} profiles`] : []),
      ];
      const erasing =
        erased.length > 0
          ? `, and erase ${erased.join(' and ')} that the legacy service does not have any more`
          : '';
      await confirm(session, `Forget what the import remembers${erasing}? There is no way back then.`);
    }
    await takeLock(context);
    await eraseAll(session, context, await accountsToErase(known));
    const deleted = await removeDeleted(context, await deletedProfiles(known));
    await context.bookkeeping.drop();
    session.output.line({
      text: [
        ...(ids.length > 0
          ? [`${ids.length} accounts were erased that the legacy service does not have any more.`]
          : []),
        ...(deleted.removed.length > 0
          ? [
              `${deleted.removed.length} profiles were removed that were deleted there: ${shown(deleted.removed)}.`,
            ]
          : []),
        ...(deleted.kept.length > 0
          ? [
              `${deleted.kept.length} profiles were deleted there and stay, because they were changed or decided on here: ` +
                `${shown(deleted.kept)}.`,
            ]
          : []),
        `What the import remembered is forgotten. The reports stay in ${session.config.legacy.reportsDir}.`,
      ],
      json: {
        event: 'finished',
        erased: ids.length,
        profilesRemoved: deleted.removed.length,
        profilesKept: deleted.kept,
      },
    });
  });

/** The first ids. */
const shown = (ids: readonly string[]): string =>
  `${ids.slice(0, SHOWN_IDS).join(', ')}${ids.length > SHOWN_IDS ? ', …' : ''}`;

/** Erases accounts as their owners could, with an event for each. */
async function eraseAll(
  { config, output, signal }: Session,
  { stores, documents, clock }: LegacyContext,
  ids: readonly string[],
): Promise<void> {
  const log = createLog(config.logLevel, { write: (line: string) => output.note(line.trimEnd()) });
  // Loaded only here: no other command needs the whole domain.
  const { openDomain, openLeaving } = await import('../../../app/domain.ts');
  const domain = openDomain({ config, stores, clock, log });
  const { erasure } = openLeaving(domain, documents);
  const actor = {
    channel: 'admin',
    ip: '',
    requestId: randomUUID(),
    userAgent: undefined,
    operator: 'legacy finish',
  };
  try {
    for (const id of ids) {
      signal.throwIfAborted();
      await erasure.eraseNow(id, actor);
    }
  } finally {
    await domain.close();
  }
}
