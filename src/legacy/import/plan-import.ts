import type { Journal } from '../journal/journal.ts';
import type { Run } from '../journal/runs.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import { DEFAULT_POLICY, digestOfValues, type ImportPolicy, policyOf } from '../records/legacy-record.ts';
import { DEFAULT_TABLES, tablesInCommon } from '../source/legacy-tables.ts';

/** What the operator decides about an import. */
export interface ImportOptions extends Pick<ImportPolicy, 'doctors'> {
  /** What to do if there are administrators: `refuse` lets the operator decide. */
  admins: ImportPolicy['admins'] | 'refuse';
  timeZone: string;
}

/** What an import would do. */
type ImportPlan =
  | { kind: 'done'; run: Run }
  | { kind: 'begin'; options: Run['options'] }
  | { kind: 'continue'; run: Run };

/**
 * Checks everything that can refuse an import, and finds out where it continues. Writes nothing.
 * @throws Refusal
 */
export async function planImport(
  context: Pick<LegacyContext, 'source' | 'filesDir' | 'journal'>,
  options: ImportOptions,
): Promise<ImportPlan> {
  const wanted = optionsOf(context, options);
  const runs = await context.journal.runs.all();
  const imports = runs.filter(({ command }) => command === 'import');
  const unfinished = imports.find(({ endedAt }) => endedAt === null);
  if (unfinished) {
    refuseOtherOptions(unfinished, wanted);
  }
  const finished = imports.find(({ options: { files } }) => files === 'taken' || wanted.files === 'left');
  if (!unfinished && finished) {
    return { kind: 'done', run: finished };
  }
  const former = unfinished ? undefined : imports.at(-1);
  if (former) {
    refuseOtherPolicy(former, wanted);
  }
  await refuseAdmins(context, options);
  await refuseMixedTokens(context);
  return unfinished ? { kind: 'continue', run: unfinished } : { kind: 'begin', options: wanted };
}

/** The options that a continuation must repeat. */
const optionsOf = (
  { source, filesDir }: Pick<LegacyContext, 'source' | 'filesDir'>,
  { admins, doctors, timeZone }: ImportOptions,
): Run['options'] => ({
  admins,
  doctors,
  timezone: timeZone,
  files: filesDir === undefined ? 'left' : 'taken',
  map: digestOfValues([tablesInCommon(source.tables)]),
});

/** A run of an earlier version has no word about doctors. */
const optionsThen = ({ options }: Run): Run['options'] => ({ doctors: DEFAULT_POLICY.doctors, ...options });

/** An import that adds the files to another one must not decide otherwise: its doctors would stay what they are. */
function refuseOtherPolicy(former: Run, { admins = '', doctors }: Run['options']): void {
  const then = optionsThen(former);
  const isOtherForAdmins = ![then.admins, admins].includes('refuse') && then.admins !== admins;
  const other = [...(then.doctors === doctors ? [] : ['doctors']), ...(isOtherForAdmins ? ['admins'] : [])];
  if (other.length > 0) {
    throw new LegacyError(
      `The import ${former._id} had another value of --${other.join(', --')}. Give the one that it had, or take it back with: ` +
        `undo --run ${former._id}`,
    );
  }
}

function refuseOtherOptions(run: Run, wanted: Run['options']): void {
  const { _id } = run;
  const had = optionsThen(run);
  const other = Object.keys(wanted).filter((name) => had[name] !== wanted[name]);
  if (other.length > 0) {
    const names = other.map((name) => `--${name}`).join(', ');
    throw new LegacyError(
      `The import ${_id} has not ended, and had another value of ${names}. Give the options that it had, or take it back ` +
        `with: undo --run ${_id}`,
    );
  }
}

async function refuseAdmins(
  { source }: Pick<LegacyContext, 'source'>,
  { admins }: ImportOptions,
): Promise<void> {
  const count = (await source.countBy('accounts', 'role')).get('admin') ?? 0;
  if (admins === 'refuse' && count > 0) {
    throw new LegacyError(
      `${count} ${count === 1 ? 'account has' : 'accounts have'} the role admin, which the gateway does not have. ` +
        'With --admins skip they are left out, and the report names their ids. With --admins reviewer they become reviewers, ' +
        'who decide about doctors.',
    );
  }
}

/** The tokens of one class may have the ids of another table: they would become tokens of other people. */
export async function refuseMixedTokens({ source }: Pick<LegacyContext, 'source'>): Promise<void> {
  const types = [...(await source.countBy('tokens', 'tokenable_type')).keys()];
  if (types.length > 1 && source.tables.tokenTypes === DEFAULT_TABLES.tokenTypes) {
    throw new LegacyError(
      `There are tokens of ${types.toSorted().join(' and ')}. Name the classes whose tokens belong to accounts with --map (tokenTypes).`,
    );
  }
}

/** Begins a run, or continues one. */
export const beginRun = async (
  { runs }: Pick<Journal, 'runs'>,
  plan: Exclude<ImportPlan, { kind: 'done' }>,
  now: Date,
): Promise<Run> => (plan.kind === 'continue' ? plan.run : runs.begin('import', now, plan.options));

/** What a command must have in common with the import. With another time zone or mapping, every row would look changed. */
interface SameOptions {
  timeZone: string;
  /** True if the command copies or compares files. */
  needsFiles: boolean;
}

/**
 * Checks that an import has ended, and that it had the same options.
 * @returns what the import makes of administrators and doctors
 * @throws Refusal
 */
export async function requireImport(
  { journal, source, filesDir }: Pick<LegacyContext, 'journal' | 'source' | 'filesDir'>,
  { timeZone, needsFiles }: SameOptions,
): Promise<ImportPolicy> {
  const imports = (await journal.runs.all()).filter(({ command }) => command === 'import');
  const unfinished = imports.find(({ endedAt }) => endedAt === null);
  const last = imports.at(-1);
  if (last === undefined || unfinished) {
    throw new LegacyError(
      unfinished
        ? `The import ${unfinished._id} has not ended. Run import again first.`
        : 'There was no import. Run import first.',
    );
  }
  const wanted = { timezone: timeZone, map: digestOfValues([tablesInCommon(source.tables)]) };
  const other = Object.entries(wanted).find(([name, value]) =>
    imports.some(({ options }) => options[name] !== value),
  );
  if (other) {
    throw new LegacyError(`The import had another value of --${other[0]}. Give the one that it had.`);
  }
  if (needsFiles && filesDir === undefined && imports.some(({ options }) => options.files === 'taken')) {
    throw new LegacyError('The import has copied files, so this command needs --files DIR, too.');
  }
  return policyOf(last.options);
}
