import { ValidationError } from '../../errors/errors.ts';
import type { AccountModel, StoredAccount } from '../../stores/accounts/accounts.ts';
import {
  type DoctorProfile,
  type DoctorProfileModel,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from '../../stores/doctors/doctors.ts';
import { OPTIONAL_TEXTS } from '../../stores/doctors/profile-texts.ts';
import { comparePlaces, cursorOf, placeOf, QUEUE_START, type QueuePlace } from './queue-place.ts';
import { REVIEWED_ACCOUNTS, type ReviewedDoctor, toReviewedDoctor } from './reviewed-doctor.ts';

/** Which doctors to list. */
export interface DoctorsQuery {
  status: VerificationStatus;
  /** How many at most. */
  first: number;
  /** The cursor after which the list goes on; undefined: from its start. */
  after?: string | undefined;
}

/** A page of the list, the oldest documents first. */
export interface DoctorsPage {
  doctors: ReviewedDoctor[];
  hasNextPage: boolean;
  /** After which the next page begins; null on an empty last page. */
  endCursor: string | null;
}

/** The cursor of a doctor in the list. */
export const cursorOfDoctor = ({ account: { id }, submittedAt }: ReviewedDoctor): string =>
  cursorOf({ submittedAt, id });

/** How many profiles are read at a time: some have no account, or a disabled one. */
const MIN_BATCH = 50;
/** After so many batches a page is short, although there may be more doctors. Its end cursor goes on behind them. */
const MAX_BATCHES = 5;

/** Profiles are decoded without a break, a batch at a time. One may have 20,000 characters. */
const DECODED_AT_ONCE = 50;
/** The texts of a page. A page of long profiles is short, because an answer is written without a break. */
const MAX_PAGE_CHARACTERS = 200_000;

/** The doctors of a status, the oldest documents first. */
export class ReviewQueue {
  constructor(
    private readonly accounts: AccountModel,
    private readonly profiles: DoctorProfileModel,
  ) {}

  /** @throws ValidationError on `after` */
  async page({ status, first, after }: DoctorsQuery): Promise<DoctorsPage> {
    let place = startOf(after);
    const size = Math.max(first + 1, MIN_BATCH);
    const doctors: ReviewedDoctor[] = [];
    for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
      const profiles = await this.#profilesAfter(place, status, size);
      doctors.push(...(await this.#withAccounts(profiles)));
      const last = profiles.at(-1);
      const isFull = fittingOf(doctors, first) < doctors.length;
      if (isFull || !last || profiles.length < size) {
        return pageOf(doctors, first);
      }
      place = placeOfProfile(last);
    }
    return { doctors, hasNextPage: true, endCursor: cursorOf(place) };
  }

  /** Reads each range of the queue from its index. The order between the ranges is made here. */
  async #profilesAfter(
    place: QueuePlace,
    status: VerificationStatus,
    limit: number,
  ): Promise<DoctorProfile[]> {
    const found = await Promise.all(
      rangesAfter(place, status).map(({ filter, time }) =>
        this.profiles
          .find(filter)
          .sort({ [time]: 1, _id: 1 })
          .limit(limit)
          .batchSize(DECODED_AT_ONCE)
          .lean<DoctorProfile[]>(),
      ),
    );
    return found
      .flat()
      .sort((a, b) => comparePlaces(placeOfProfile(a), placeOfProfile(b)))
      .slice(0, limit);
  }

  /** The doctors among these, in the same order. */
  async #withAccounts(profiles: readonly DoctorProfile[]): Promise<ReviewedDoctor[]> {
    const ids = profiles.map(({ _id }) => _id);
    const accounts = await this.accounts
      .find({ _id: { $in: ids }, ...REVIEWED_ACCOUNTS })
      .lean<StoredAccount[]>();
    const byId = new Map(accounts.map((account) => [account._id, account]));
    return profiles.flatMap((profile) => {
      const account = byId.get(profile._id);
      return (account && toReviewedDoctor(account, profile)) ?? [];
    });
  }
}

/** A part of the queue that one index has in order. */
interface QueueRange {
  filter: object;
  /** The field with the time of a place. */
  time: string;
}

/**
 * The ranges behind a place. A doctor without a verification is pending since its registration: so profiles of earlier
 * versions and of an import have their place without being changed. Doctors of the same time are a range of their own, because
 * an import may have given it to many.
 */
function rangesAfter({ submittedAt, id }: QueuePlace, status: VerificationStatus): QueueRange[] {
  const kinds = [
    { status: status as VerificationStatus | null, time: 'verification.submittedAt' },
    ...(status === VERIFICATION_STATUSES.PENDING ? [{ status: null, time: 'createdAt' }] : []),
  ];
  return kinds.flatMap(({ status, time }) => [
    { time, filter: { 'verification.status': status, [time]: submittedAt, _id: { $gt: id } } },
    { time, filter: { 'verification.status': status, [time]: { $gt: submittedAt } } },
  ]);
}

const placeOfProfile = (profile: DoctorProfile): QueuePlace => ({
  submittedAt: submittedAtOf(profile),
  id: profile._id,
});

function startOf(after: string | undefined): QueuePlace {
  const place = after === undefined ? QUEUE_START : placeOf(after);
  if (!place) {
    throw new ValidationError({ after: ['The after field must be a cursor of this list.'] });
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
