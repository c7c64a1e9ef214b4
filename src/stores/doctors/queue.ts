import type { mongo } from 'mongoose';
import {
  type DoctorProfile,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from './profile-record.ts';

/** A place in the queue of reviewers. It stays the same however many doctors come and go. */
export interface QueuePlace {
  submittedAt: Date;
  /** The id of the doctor. It decides between doctors of the same time. */
  id: string;
}

/** The earliest time of JavaScript (ECMA-262, section 21.4.1.1). */
const EARLIEST_MILLIS = -8.64e15;

/** The place before all doctors. */
export const QUEUE_START: QueuePlace = { submittedAt: new Date(EARLIEST_MILLIS), id: '' };

/** The place of a doctor. */
export const queuePlaceOf = (profile: DoctorProfile): QueuePlace => ({
  submittedAt: submittedAtOf(profile),
  id: profile._id,
});

/** Orders two places, the oldest first. */
const comparePlaces = (a: QueuePlace, b: QueuePlace): number =>
  a.submittedAt.getTime() - b.submittedAt.getTime() || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));

/** Puts profiles in the order of the queue. */
export const inQueueOrder = (profiles: readonly DoctorProfile[]): DoctorProfile[] =>
  profiles.toSorted((a, b) => comparePlaces(queuePlaceOf(a), queuePlaceOf(b)));

/** A part of the queue that one index has in order. */
interface QueueRange {
  filter: mongo.Filter<DoctorProfile>;
  /** The field with the time of a place. */
  time: string;
}

/**
 * The ranges behind a place. A doctor without a verification is pending since its registration: so profiles of earlier
 * versions and of an import have their place without being changed. Doctors of the same time are a range of their own, because
 * an import may have given it to many.
 */
export function rangesAfter({ submittedAt, id }: QueuePlace, status: VerificationStatus): QueueRange[] {
  const kinds = [
    { status: status as VerificationStatus | null, time: 'verification.submittedAt' },
    ...(status === VERIFICATION_STATUSES.PENDING ? [{ status: null, time: 'createdAt' }] : []),
  ];
  return kinds.flatMap(({ status, time }) => {
    const visible = { 'verification.status': status, removal: null };
    return [
      { time, filter: { ...visible, [time]: submittedAt, _id: { $gt: id } } },
      { time, filter: { ...visible, [time]: { $gt: submittedAt } } },
    ];
  });
}
