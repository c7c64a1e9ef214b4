import { isOver, type TokenLifetimes, toAccessToken } from '../../auth/tokens/token-lifetimes.ts';
import { type BackResult, back } from '../back/back.ts';
import type { HasEnded } from '../back/back-state.ts';
import { requireImport } from '../import/plan-import.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import { withContext } from './open-context.ts';
import { type LegacyInvocation, type LegacyOptions, legacyOptions, type PrepareAction } from './options.ts';
import { FindingCounts, findingLines } from './run-report.ts';
import { asRun, confirm, countLines, observed, type RunCounts, takeLock } from './with-run.ts';

/** Reads the options of the command `back`. */
export const prepareTask: PrepareAction = (options) => {
  const isDryRun = options['dry-run'] ?? false;
  const given = {
    legacy: legacyOptions(options),
    isDryRun,
    isAccepted: options.accept ?? false,
    withoutSecondFactors: options['without-second-factors'] ?? false,
    isConfirmed: options.yes ?? false,
  };
  return (invocation) => runBack(invocation, given);
};

/** The options of `back`. */
interface GivenBack {
  legacy: LegacyOptions;
  isDryRun: boolean;
  /** True: it is no failure if accounts are not written. */
  isAccepted: boolean;
  /** True: the operator knows that the second factors of the accounts do not go back. */
  withoutSecondFactors: boolean;
  isConfirmed: boolean;
}

/**
 * Runs the command `back`.
 * @throws Refusal if accounts have a second factor here, and the operator does not do without; Error if accounts were not written,
 *   or would not be
 */
const runBack = (invocation: LegacyInvocation, given: GivenBack): Promise<void> =>
  withContext(invocation, given.legacy, 'beside', async (context) => {
    await requireImport(context, { timeZone: given.legacy.timeZone, needsFiles: true });
    if (!given.withoutSecondFactors) {
      await refuseSecondFactors(context);
    }
    const act = given.isDryRun ? rehearse : write;
    const count = await act(invocation, context, given);
    if (count > 0 && !given.isAccepted) {
      const accounts = count === 1 ? '1 account' : `${count} accounts`;
      throw new Error(
        given.isDryRun
          ? `${accounts} would not be written: their owners could not log in there, or with former data only.`
          : `${accounts} could not be written: their owners cannot log in there, or with former data only. Everything else is ` +
              'written. Correct the rows there and run back again, or accept it with --accept.',
      );
    }
  });

/**
 * Their owners rely on it that a password alone opens nothing. Disabled and closed accounts count, too: the legacy service lets
 * their owners in.
 */
async function refuseSecondFactors({ stores }: LegacyContext): Promise<void> {
  const count = await stores.accounts.countWithFactors();
  if (count > 0) {
    throw new LegacyError(
      `${count} ${count === 1 ? 'account has' : 'accounts have'} a second factor here. The login of the legacy service asks for no ` +
        'code: there, whoever knows the password gets in. Nothing was changed. To go back anyway, add --without-second-factors.',
    );
  }
}

/** @returns how many accounts are not written */
type Act = (invocation: LegacyInvocation, context: LegacyContext, given: GivenBack) => Promise<number>;

const rehearse: Act = async (invocation, context, { legacy }) => {
  const { output, config } = invocation;
  const findings = new FindingCounts();
  const reporting = observed(context, invocation, (finding) => findings.add(finding));
  const hasEndedBySettings = endedBy(config.tokenLifetimes);
  const options = { run: '', timeZone: legacy.timeZone, hasEndedBySettings, isDryRun: true };
  const result = await back(reporting, options);
  const counts = countsOf(result);
  const { onlyCountedBecause: reason } = result;
  const how =
    reason === undefined
      ? 'All statements were executed and rolled back.'
      : `No statement was executed, only counted: ${reason}. back itself may write less.`;
  output.line({
    text: ['back would write:', ...countLines(counts), ...findingLines(findings.groups), how],
    json: {
      event: 'summary',
      command: 'back',
      dryRun: true,
      onlyCountedBecause: reason ?? null,
      counts,
      findings: findings.groups,
    },
  });
  return result.unwrittenAccounts;
};

const write: Act = async (invocation, context, { legacy, isConfirmed }) => {
  if (!isConfirmed) {
    await confirm(invocation, "Write to the legacy service's database?");
  }
  await takeLock(context);
  const hasEndedBySettings = endedBy(invocation.config.tokenLifetimes);
  let unwritten = 0;
  await asRun(invocation, context, 'back', async (reporting, { _id }) => {
    const result = await back(reporting, {
      run: _id,
      timeZone: legacy.timeZone,
      hasEndedBySettings,
      isDryRun: false,
    });
    unwritten = result.unwrittenAccounts;
    return countsOf(result);
  });
  return unwritten;
};

const endedBy =
  (lifetimes: TokenLifetimes): HasEnded =>
  (stored, role, now) =>
    isOver(toAccessToken(stored, role, lifetimes), lifetimes, now);

const countsOf = ({ written, files }: BackResult): RunCounts => ({
  ...Object.fromEntries(
    Object.entries(written).flatMap(([kind, { added, changed, removed }]) => [
      [`${kind} added`, added],
      [`${kind} changed`, changed],
      [`${kind} removed`, removed],
    ]),
  ),
  'files copied': files,
});
