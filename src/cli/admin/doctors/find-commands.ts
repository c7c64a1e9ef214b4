import type { WhichAccount } from '../../../auth/operators/account-directory.ts';
import { cursorOfDoctor } from '../../../auth/reviews/review-queue.ts';
import type { ReviewedDoctor } from '../../../auth/reviews/reviewed-doctor.ts';
import type { Reviews } from '../../../auth/reviews/reviews.ts';
import { ROLES } from '../../../stores/accounts.ts';
import { VERIFICATION_STATUSES, type VerificationStatus } from '../../../stores/doctors.ts';
import { NotFoundError } from '../../../system/errors/errors.ts';
import type { Line } from '../../print.ts';
import { UsageError } from '../../usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { PAGING, pageOf, readPaging } from '../paging.ts';
import { WHICH_ACCOUNT, whichAccount } from '../which-account.ts';
import { presentDoctor, presentDoctorInLine } from './present-doctor.ts';

const OUTPUT = {
  present: presentDoctorInLine,
  placeOf: cursorOfDoctor,
  ifNone: 'There are no such doctors.',
};

const STATUSES = Object.values(VERIFICATION_STATUSES);

export const listDoctors: Command = {
  usage: `[--status ${STATUSES.join('|')}] ${PAGING.usage}`,
  summary:
    'lists the doctors of a status, the oldest documents first; without --status those that wait for a decision',
  options: ['status', ...PAGING.options],
  prepare: (options) => {
    const status = readStatus(options.status ?? VERIFICATION_STATUSES.PENDING);
    const paging = readPaging(options);
    return async function* ({ openReviews, noteReading }): AsyncGenerator<Line> {
      await noteReading('list of doctors');
      yield* pageOf(doctorsFrom(await openReviews(), status, paging.after), paging, OUTPUT);
    };
  },
};

/** @throws UsageError */
function readStatus(status: string): VerificationStatus {
  const known = STATUSES.find((one) => one === status);
  if (known === undefined) {
    throw new UsageError(`--status must be one of: ${STATUSES.join(', ')}.`);
  }
  return known;
}

/** The doctors read at a time. */
const PAGE = 100;

async function* doctorsFrom(
  reviews: Reviews,
  status: VerificationStatus,
  first: string | undefined,
): AsyncGenerator<ReviewedDoctor> {
  let after = first;
  for (;;) {
    const { doctors, hasNextPage, endCursor } = await reviews.page({ status, first: PAGE, after });
    yield* doctors;
    if (!hasNextPage || endCursor === null) {
      return;
    }
    after = endCursor;
  }
}

export const showDoctor: Command = {
  ...WHICH_ACCOUNT,
  summary: 'shows a doctor with the addresses of the documents, also of those that were submitted again',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* (context): AsyncGenerator<Line> {
      const doctor = await findDoctor(context, await context.openReviews(), which);
      await context.noteReading('doctor', doctor.account);
      yield presentDoctor(doctor, context.urls);
    };
  },
};

/** @throws NotFoundError when there is no such account, or it has no review */
export async function findDoctor(
  { directory }: CommandContext,
  reviews: Reviews,
  which: WhichAccount,
): Promise<ReviewedDoctor> {
  const { id, role, disabledAt } = await directory.find(which);
  if (role !== ROLES.DOCTOR) {
    throw new NotFoundError(`Account ${id} is not a doctor's.`);
  }
  if (disabledAt) {
    throw new NotFoundError(`Account ${id} is disabled. Only enabled accounts are reviewed.`);
  }
  return reviews.find(id);
}
