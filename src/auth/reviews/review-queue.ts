import { type Account, type AccountStore, toAccount, type WithoutSecrets } from '../../stores/accounts.ts';
import type { inCommon } from '../../stores/doctor-matches.ts';
import { OPTIONAL_TEXTS } from '../../stores/doctor-profile-record.ts';
import {
  type DoctorProfile,
  type DoctorStore,
  QUEUE_START,
  type Queue,
  type QueuePlace,
  queuePlaceOf,
  statusAt,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from '../../stores/doctors.ts';
import { problemOfAccount, problemOfProfile } from '../../stores/invalid-records.ts';
import type { Clock } from '../../system/clock.ts';
import { InvalidCursorError } from '../../system/errors.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import { type LicenseFits, type LicenseRule, licenseFitsOf } from './license-rules.ts';

/** Which doctors to list. */
export interface DoctorsQuery {
  status: VerificationStatus;
  /** True: instead those of any status with a correction that waits. */
  proposals?: boolean;
  /** True: instead the verified ones whose verification ends within 60 days. */
  ending?: boolean;
  /** How many at most. */
  first: number;
  /** The cursor after which the page begins; undefined: at the start of the list. */
  after?: string | undefined;
}

/** A page of the list, the oldest documents first, or the first end. */
export interface DoctorsPage {
  doctors: ReviewedDoctor[];
  hasNextPage: boolean;
  /** After which the next page begins; null on an empty last page. */
  endCursor: string | null;
}

/** A doctor as reviewers see one. */
export interface ReviewedDoctor extends LicenseFits {
  account: Account;
  profile: DoctorProfile;
  /** Counts the changes that a reviewer must not miss. A decision names the one that was seen. */
  revision: number;
  /** When the documents were submitted that wait for a decision, or were decided on. */
  submittedAt: Date;
  /** In the queue that the doctor was found in. */
  place: QueuePlace;
  /** Whether the account is disabled or closed, so that nobody decides on it. */
  isDisabled: boolean;
  /** Whether the mail about a decision has its reason. */
  isReasonMailed: boolean;
  /** Others with something in common; undefined if nobody has looked for them. */
  others?: OtherDoctor[];
}

/** A doctor with the same license number or document as another one. */
export type OtherDoctor = ReviewedDoctor & ReturnType<typeof inCommon>;

/** How many profiles are read at a time: some have no account, or a disabled one. */
const MIN_BATCH = 50;

/** After so many batches a page is short, although there may be more doctors. The next page continues after them. */
const MAX_BATCHES = 5;

/** The texts of a page. A page of long profiles is short, because an answer is written without a break. */
const MAX_PAGE_CHARACTERS = 200_000;

/** The doctors of a status, the oldest documents first. */
export class ReviewQueue {
  constructor(
    private readonly accounts: AccountStore,
    private readonly doctors: DoctorStore,
    private readonly notices: OwnerNotices,
    private readonly clock: Clock,
    private readonly licenseRules: readonly LicenseRule[],
  ) {}

  /** @throws ValidationError on `after` */
  async page({ status, proposals, ending, first, after }: DoctorsQuery): Promise<DoctorsPage> {
    let place = startOf(after);
    const which = proposals ? 'proposals' : ending ? 'ending' : status;
    const now = new Date(this.clock.now());
    const size = Math.max(first + 1, MIN_BATCH);
    // Here, because no index leaves out those whose verification has ended.
    const isListed = (profile: DoctorProfile) =>
      which !== VERIFICATION_STATUSES.VERIFIED || statusAt(profile, now.getTime()) === which;
    const doctors: ReviewedDoctor[] = [];
    for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
      const found = await this.doctors.queue(which, place, size, now);
      // A reviewer who names a revision must have seen its name, which a kill may have kept from the account.
      const profiles = await Promise.all(found.map((profile) => this.doctors.finishAccountChange(profile)));
      doctors.push(...(await this.withAccounts(profiles.filter(isListed), false, which)));
      const last = profiles.at(-1);
      const isFull = fittingOf(doctors, first) < doctors.length;
      if (isFull || !last || profiles.length < size) {
        return pageOf(doctors, first);
      }
      place = queuePlaceOf(last, which);
    }
    return { doctors, hasNextPage: true, endCursor: encodeCursor(place) };
  }

  /** The doctors among these who can be shown, in the same order; by default only enabled ones. */
  async withAccounts(
    profiles: readonly DoctorProfile[],
    disabledToo = false,
    which?: Queue,
  ): Promise<ReviewedDoctor[]> {
    const ids = profiles.map(({ _id }) => _id);
    const accounts = await this.accounts.reviewable(ids, disabledToo);
    const byId = new Map(accounts.map((account) => [account._id, account]));
    return profiles.flatMap((profile) => {
      const account = byId.get(profile._id);
      return (account && toReviewedDoctor(account, profile, which, this.notices, this.licenseRules)) ?? [];
    });
  }
}

function startOf(after: string | undefined): QueuePlace {
  const place = after === undefined ? QUEUE_START : decodeCursor(after);
  if (!place) {
    throw new InvalidCursorError();
  }
  return place;
}

function pageOf(found: readonly ReviewedDoctor[], first: number): DoctorsPage {
  const doctors = found.slice(0, fittingOf(found, first));
  const last = doctors.at(-1);
  return {
    doctors,
    hasNextPage: found.length > doctors.length,
    endCursor: last ? cursorOfDoctor(last) : null,
  };
}

/** How many of these doctors fit on a page: at least one, at most `first`. */
function fittingOf(found: readonly ReviewedDoctor[], first: number): number {
  let characters = 0;
  const tooMany = found.findIndex(({ profile }) => {
    characters += OPTIONAL_TEXTS.reduce((sum, name) => sum + (profile[name]?.length ?? 0), 0);
    return characters > MAX_PAGE_CHARACTERS;
  });
  return Math.min(first, tooMany < 0 ? found.length : Math.max(tooMany, 1));
}

/** @returns undefined if one of the two records cannot be shown */
function toReviewedDoctor(
  stored: WithoutSecrets,
  profile: DoctorProfile,
  which: Queue | undefined,
  notices: OwnerNotices,
  licenseRules: readonly LicenseRule[],
): ReviewedDoctor | undefined {
  if (problemOfAccount(stored) !== undefined || problemOfProfile(profile) !== undefined) {
    return undefined;
  }
  const account = toAccount(stored);
  return {
    account,
    profile,
    revision: profile.revision ?? 0,
    submittedAt: submittedAtOf(profile),
    place: queuePlaceOf(profile, which),
    isDisabled: Boolean(stored.disabledAt),
    isReasonMailed: notices.haveTexts(account.emailVerifiedAt !== null),
    ...licenseFitsOf(profile, licenseRules),
  };
}

/** The cursor of a doctor in the list. */
export const cursorOfDoctor = ({ place }: ReviewedDoctor): string => encodeCursor(place);

/** A place in the queue as an opaque text for callers, which may send it back. */
export const encodeCursor = ({ submittedAt, id }: QueuePlace): string =>
  Buffer.from(`${submittedAt.getTime()}:${id}`).toString('base64url');

/** More than the cursor of the longest id. */
const CURSOR_MAX_CHARACTERS = 1024;

/**
 * Reads a cursor.
 * @param cursor any text of limited length
 * @returns undefined for a text that {@link encodeCursor} does not make
 */
function decodeCursor(cursor: string): QueuePlace | undefined {
  if (cursor.length > CURSOR_MAX_CHARACTERS) {
    return undefined;
  }
  const [, millis, id = ''] = /^(-?\d{1,16}):(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const place = { submittedAt: new Date(Number(millis)), id };
  const isPlace = !Number.isNaN(place.submittedAt.getTime()) && encodeCursor(place) === cursor;
  return isPlace ? place : undefined;
}
