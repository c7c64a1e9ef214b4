import type { Bookkeeping } from '../bookkeeping/bookkeeping.ts';
import type { Run } from '../bookkeeping/runs.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { DEFAULT_POLICY, type ImportPolicy } from '../policy.ts';
import { digestOfValues } from '../records/legacy-record.ts';
import { Refusal } from '../refusal.ts';
import { beginRunOf } from '../runs.ts';
import { DEFAULT_TABLES, tablesInCommon } from '../source/legacy-tables.ts';

/** What the operator decides about an import. */
export interface ImportOptions extends Pick<ImportPolicy, 'doctors'> {
  /** What to do if there are administrators: `refuse` lets the operator decide. */
  admins: ImportPolicy['admins'] | 'refuse';
  timeZone: string;
}

/** What an import would do. */
export type ImportPlan =
  | { kind: 'done'; run: Run }
  | { kind: 'begin'; options: Run['options'] }
  | { kind: 'continue'; run: Run };

/**
 * Checks everything that can refuse an import, and finds out where it goes on. Writes nothing.
 * @throws Refusal
 */
export async function planImport(
  context: Pick<LegacyContext, 'source' | 'filesDir' | 'bookkeeping'>,
  options: ImportOptions,
): Promise<ImportPlan> {
  const wanted = optionsOf(context, options);
  const runs = await context.bookkeeping.runs.all();
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
    throw new Refusal(
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
    throw new Refusal(
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
    throw new Refusal(
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
    throw new Refusal(
      `There are tokens of ${types.toSorted().join(' and ')}. Name the classes whose tokens belong to accounts with --map (tokenTypes).`,
    );
  }
}

/** Begins a run, or goes on with one. */
export async function beginRun(
  bookkeeping: Bookkeeping,
  plan: Exclude<ImportPlan, { kind: 'done' }>,
  now: Date,
) {
  if (plan.kind === 'continue') {
    return plan.run;
  }
  return beginRunOf(bookkeeping, 'import', now, plan.options);
}
