import type { WhichAccount } from '../../auth/admin/account-directory.ts';
import {
  DECIDED,
  givenEnd,
  REVIEW_DECISIONS,
  type ReviewDecision,
  subjectOf,
} from '../../auth/reviews/decisions.ts';
import { cursorOfDoctor, type DoctorsQuery, type ReviewedDoctor } from '../../auth/reviews/review-queue.ts';
import type { Reviews } from '../../auth/reviews/reviews.ts';
import { REASON_MAX_CHARACTERS, readReason } from '../../auth/text-rules.ts';
import type { DocumentUrls } from '../../documents/document-urls.ts';
import { ROLES } from '../../stores/accounts.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS } from '../../stores/doctor-profile-record.ts';
import {
  ALL_DOCUMENTS,
  ALL_GROUNDS,
  type DoctorDocument,
  type DoctorDocumentPaths,
  endOf,
  proposalOf,
  type RejectionGround,
  statusAt,
  VERIFICATION_STATUSES,
  type VerificationStatus,
  verificationView,
} from '../../stores/doctors.ts';
import { isCalendarDate } from '../../system/calendar.ts';
import { NotFoundError } from '../../system/errors.ts';
import { UsageError } from '../command-line.ts';
import type { Line } from '../print.ts';
import {
  type AdminCommand,
  type CommandContext,
  type Options,
  shown,
  WHICH_ACCOUNT,
  whichAccount,
} from './command.ts';
import { PAGING, pageOf, readPaging, tableOf } from './paging.ts';

const TABLE = tableOf(
  ['ID', 24],
  ['STATUS', 9],
  ['REVISION', 8],
  ['SUBMITTED', 24],
  ['E-MAIL', 30],
  ['NAME', 24],
  ['SPECIALIZATION', 20],
);

const outputAt = (nowMillis: number) => ({
  heading: TABLE.heading,
  present: (doctor: ReviewedDoctor) => presentDoctorInLine(doctor, nowMillis),
  placeOf: cursorOfDoctor,
  ifNone: 'There are no such doctors.',
});

const STATUSES = Object.values(VERIFICATION_STATUSES);

export const listDoctors: AdminCommand = {
  usage: `[--status ${STATUSES.join('|')} | --proposals | --ending] ${PAGING.usage}`,
  summary:
    'lists doctors by status, the oldest documents first. Without --status, lists those who wait for a decision (pending). With --proposals, lists those with a correction that waits; with --ending, those whose verification ends within 60 days, the first end first',
  options: ['status', 'proposals', 'ending', ...PAGING.options],
  prepare: (options) => {
    const { status: given, proposals = false, ending = false } = options;
    if ([given !== undefined, proposals, ending].filter(Boolean).length > 1) {
      throw new UsageError('Give only one of --status, --proposals and --ending.');
    }
    const status = readStatus(given ?? VERIFICATION_STATUSES.PENDING);
    const which = { status, proposals, ending };
    const paging = readPaging(options);
    return async function* ({ openReviews, noteReading, clock }): AsyncGenerator<Line> {
      await noteReading('list of doctors');
      yield* pageOf(doctorsFrom(await openReviews(), which, paging.after), paging, outputAt(clock.now()));
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
  which: Omit<DoctorsQuery, 'first' | 'after'>,
  first: string | undefined,
): AsyncGenerator<ReviewedDoctor> {
  let after = first;
  for (;;) {
    const { doctors, hasNextPage, endCursor } = await reviews.page({ ...which, first: PAGE, after });
    yield* doctors;
    if (!hasNextPage || endCursor === null) {
      return;
    }
    after = endCursor;
  }
}

export const showDoctor: AdminCommand = {
  ...WHICH_ACCOUNT,
  summary: 'shows a doctor with the URLs of the documents, resubmitted ones included',
  prepare: (options) => {
    const which = whichAccount(options);
    return async function* (context): AsyncGenerator<Line> {
      const doctor = await findDoctor(context, await context.openReviews(), which);
      await context.noteReading('doctor', doctor.account);
      yield presentDoctor(doctor, context.urls, context.clock.now());
    };
  },
};

/** @throws NotFoundError when there is no such account, or it has no review */
async function findDoctor(
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

const { APPROVE, REJECT, SUSPEND, CHANGE_END } = REVIEW_DECISIONS;
/** The decisions that may say when the verification ends. */
const isDated = (decision: ReviewDecision): boolean => decision === APPROVE || decision === CHANGE_END;

/** A command that decides on a doctor. Without `--revision`, which a suspension does not need, it decides on the doctor as it is now. */
const decideCommand = (decision: ReviewDecision, usage: string, summary: string): AdminCommand => ({
  usage: `${WHICH_ACCOUNT.usage} ${usage}${decision === SUSPEND ? '' : ' [--revision N]'}`,
  summary,
  options: [
    ...WHICH_ACCOUNT.options,
    'reason',
    ...(decision === SUSPEND ? [] : ['revision' as const]),
    ...(decision === REJECT ? (['document', 'ground'] as const) : []),
    ...(isDated(decision) ? ['until' as const] : []),
  ],
  prepare: (options) => {
    const which = whichAccount(options);
    const reason = reasonOf(decision, options);
    const documents = namedOf<DoctorDocument>('document', options.document, ALL_DOCUMENTS);
    const grounds = namedOf<RejectionGround>('ground', options.ground, ALL_GROUNDS);
    const until = untilOf(decision, options);
    const seen = options.revision === undefined ? undefined : revisionOf(options.revision);
    return async function* (context): AsyncGenerator<Line> {
      const reviews = await context.openReviews();
      const { account, profile, revision } = await findDoctor(context, reviews, which);
      const about = { decision, reason, documents, grounds, until };
      const review = { id: account.id, revision: seen ?? revision, ...about };
      const { result, written } = await reviews.decide(review, context.operator);
      await written;
      const status = statusAt(result.profile, context.clock.now());
      const end = endOf(result.profile);
      const given = givenEnd(profile, result.profile, decision);
      const subject = subjectOf(profile, decision);
      const what = subject === 'doctor' ? 'Doctor' : `The ${subject} of doctor`;
      const isEnd = decision === CHANGE_END;
      const text = isEnd
        ? `The verification of doctor ${account.id} ends ${end ? `at ${end.toISOString()}` : 'never'}.`
        : `${what} ${account.id} is ${DECIDED[decision]}${given ? ` until ${given.toISOString()}` : ''}.`;
      const json = { id: account.id, status, reason, revision: result.revision };
      yield { text, json: { ...json, ...(end && { until: end }) } };
    };
  },
});

export const approveDoctor = decideCommand(
  APPROVE,
  '[--reason T] [--until DAY]',
  'verifies a doctor, or accepts a correction or a renewal. The verification ends after DAY (YYYY-MM-DD, in TIME_ZONE), by default VERIFICATION_DAYS from today. With --revision N, changes nothing if the doctor has changed since doctors show printed revision N',
);
export const rejectDoctor = decideCommand(
  REJECT,
  `--reason T [--document ${ALL_DOCUMENTS.join(',')}] [--ground ${ALL_GROUNDS.join(',')}]`,
  'rejects a doctor, who sees the reason and the grounds and can submit the named documents again, by default all; or only the correction of a verified doctor',
);
export const setEnd = decideCommand(
  CHANGE_END,
  '--until DAY|none [--reason T]',
  'gives the verification of a verified doctor another end, after DAY (YYYY-MM-DD, in TIME_ZONE), or none',
);
export const suspendDoctor = decideCommand(SUSPEND, '--reason T', 'suspends a doctor, who sees the reason');

/** @throws UsageError */
function reasonOf(decision: ReviewDecision, { reason }: Options): string | null {
  if (reason === undefined && isDated(decision)) {
    return null;
  }
  if (reason === undefined) {
    throw new UsageError('Say why, for the doctor to read: --reason "…".');
  }
  const text = readReason(reason);
  if (text === undefined) {
    throw new UsageError(`--reason must be a text of 1 to ${REASON_MAX_CHARACTERS} characters.`);
  }
  return text;
}

/** @throws UsageError. Whether the day is in the past, only the service knows */
function untilOf(decision: ReviewDecision, { until }: Options): string | undefined {
  if (decision === CHANGE_END && until === undefined) {
    throw new UsageError('Say when the verification ends: --until DAY, or --until none.');
  }
  const isNone = decision === CHANGE_END && until === 'none';
  if (until !== undefined && !isNone && !isCalendarDate(until)) {
    throw new UsageError('--until must be a day, YYYY-MM-DD.');
  }
  return isNone ? undefined : until;
}

/** @throws UsageError */
function namedOf<T extends string>(option: string, names: string | undefined, all: readonly T[]): T[] {
  return (names?.split(',') ?? []).map((name) => {
    const known = all.find((one) => one === name.trim());
    if (known === undefined) {
      throw new UsageError(`--${option} must be of: ${all.join(', ')}, separated by commas.`);
    }
    return known;
  });
}

/** @throws UsageError */
function revisionOf(revision: string): number {
  if (!/^\d{1,9}$/.test(revision)) {
    throw new UsageError('--revision must be the number that show has printed.');
  }
  return Number(revision);
}

/** One line of a list of doctors. */
function presentDoctorInLine({ account, profile, revision, place }: ReviewedDoctor, nowMillis: number): Line {
  const { id, email, name } = account;
  const status = statusAt(profile, nowMillis);
  const until = endOf(profile);
  const { specialization } = profile;
  const { submittedAt } = place;
  const text = TABLE.row(id, status, revision, shown(submittedAt, 'unknown'), email, name, specialization);
  return {
    text,
    json: { id, name, email, specialization, status, revision, submittedAt, ...(until && { until }) },
  };
}

/** A doctor as a reviewer needs one: the account, the profile, the review and the documents. */
function presentDoctor(
  { account, profile, revision, submittedAt }: ReviewedDoctor,
  urls: DocumentUrls,
  nowMillis: number,
): Line {
  const { id, name, email, phone, createdAt } = account;
  const verification = verificationView(profile, nowMillis);
  const { status, decidedAt, reason, until } = verification;
  const { documents: asked, grounds: given } = verification;
  const texts = Object.fromEntries(
    [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS].map((field) => [field, profile[field] ?? null]),
  );
  const again = asked.length > 0 ? asked : null;
  const grounds = given.length > 0 ? given : null;
  const ofVerified = { status, ...(until && { until }), decidedAt, reason, grounds };
  const review = { ...ofVerified, documentsAskedFor: again, revision, submittedAt };
  const documents = urlsOf(profile, urls);
  const newDocuments = profile.resubmitted ? urlsOf(profile.resubmitted, urls) : null;
  const proposal = proposalOf(profile);
  const text = Object.entries({
    ...{ id, name, email, phone, createdAt, ...review, ...texts, ...documents },
    ...(newDocuments && prefixed('new', newDocuments)),
    ...(proposal && prefixed('proposed', withoutNull({ ...proposal, hasDocuments: null }))),
  }).flatMap(([field, value]) => linesOf(field, value));
  return {
    text,
    json: { id, name, email, phone, createdAt, ...review, ...texts, ...documents, newDocuments, proposal },
  };
}

const urlsOf = (paths: DoctorDocumentPaths, urls: DocumentUrls) => ({
  licenseFileUrl: urls.urlOf(paths.licenseFilePath),
  diplomaFileUrl: urls.urlOf(paths.diplomaFilePath),
  certificationUrl: urls.urlOf(paths.certificationFilePath ?? null),
});

const prefixed = (prefix: string, fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${prefix} ${field}`, value]));

const withoutNull = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const LABEL_CHARACTERS = 24;

/** A field with its name in words. A text of several lines stays one. */
function linesOf(field: string, value: unknown): string[] {
  const label = (field === 'email' ? 'e-mail' : field).replace(
    /[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  );
  const text = value instanceof Date ? shown(value, 'unknown') : String(value ?? '-');
  const [first = '', ...others] = text.split(/\r\n|\r|\n/);
  const blanks = ' '.repeat(LABEL_CHARACTERS);
  return [label.padEnd(LABEL_CHARACTERS) + first, ...others.map((line) => blanks + line)];
}
