import { isEmailAddress } from '../../../auth/email-address.ts';
import { parseStoredHash } from '../../../auth/passwords/stored-hash.ts';
import { durationOf } from '../../../cli/output.ts';
import { type IdList, type Inspection, inspectLegacy } from '../../inspect/inspect-legacy.ts';
import type { Session } from '../command.ts';
import type { LegacyOptions } from '../legacy-options.ts';
import { withSource } from '../open-context.ts';
import { FindingCounts, findingLines } from '../output/run-report.ts';

/** Runs the command `inspect`. */
export async function runInspect(session: Session, options: LegacyOptions): Promise<void> {
  const { output, config } = session;
  const counts = new FindingCounts();
  const inspection = await withSource(session, options, (context) => {
    const observer = {
      found: (finding: Parameters<FindingCounts['add']>[0]) => {
        counts.add(finding);
        output.found(finding);
      },
      progress: output.progress.bind(output),
    };
    const rules = { maxFileBytes: config.maxFileBytes, isLoginEmail: isEmailAddress, isKnownHash };
    return inspectLegacy({ ...context, observer }, rules);
  });
  const { groups } = counts;
  const text = [
    ...linesOf(inspection, options),
    'Not taken, missing or in conflict:',
    ...findingLines(groups),
  ];
  output.line({
    text: groups.length > 0 ? text : text.slice(0, -1),
    json: { event: 'inspection', ...inspection, findings: groups },
  });
}

const isKnownHash = (hash: string): boolean => parseStoredHash(hash) !== undefined;

const list = ({ count, ids }: IdList): string =>
  count === 0 ? '0' : `${count} (${ids.join(', ')}${count > ids.length ? ', …' : ''})`;

const pairs = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ') || 'none';

function linesOf(found: Inspection, { filesDir }: LegacyOptions): string[] {
  const { rows, tokens, files, droppedColumns } = found;
  const dropped = Object.entries(droppedColumns)
    .filter(([, columns]) => columns.length > 0)
    .map(([kind, columns]) => `  of ${kind}: ${columns.join(', ')}`);
  return [
    `Accounts: ${rows.accounts} (${pairs(found.roles)})`,
    `  passwords: ${pairs(found.hashes)}`,
    `  doctors without a profile: ${list(found.doctorsWithoutProfile)}`,
    `  e-mails that the login refuses: ${list(found.refusedEmails)}`,
    `Profiles: ${rows.profiles} (without a certification: ${found.documentsWithoutFile})`,
    ...(filesDir === undefined
      ? ['Files: not looked at (--files)']
      : [
          `Files: ${files.count}, ${files.bytes} bytes`,
          `  larger than MAX_FILE_BYTES, which an import takes all the same: ${list(found.largeFiles)}`,
        ]),
    `Tokens: ${rows.tokens} (with an end: ${tokens.withExpiry}, never used: ${tokens.neverUsed}, oldest: ${tokens.oldest ?? 'none'})`,
    `  abilities: ${pairs(tokens.abilities)}`,
    `  of other types, which are left out: ${pairs(found.otherTokenTypes)}`,
    `Ids above 2^53, with which ID_FORMAT=integer does not work: ${list(found.largeIds)}`,
    `Columns that are left out: ${dropped.length > 0 ? '' : 'none'}`.trimEnd(),
    ...dropped,
    `An import would take ${pairs(found.wouldTake)}, in about ${durationOf(found.estimatedSeconds)}`,
  ];
}
