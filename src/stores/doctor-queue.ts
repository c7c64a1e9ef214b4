import type { mongo } from 'mongoose';
import { type DoctorProfile, EARLIEST_MILLIS } from './doctor-profile-record.ts';
import {
  ENDING_MILLIS,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
} from './verification-record.ts';

/** A place in the queue of reviewers. It stays the same however many doctors come and go. */
export interface QueuePlace {
  submittedAt: Date;
  /** The id of the doctor. It decides between doctors of the same time. */
  id: string;
}

/** The place before all doctors. */
export const QUEUE_START: QueuePlace = { submittedAt: new Date(EARLIEST_MILLIS), id: '' };

/** The doctors of a status, those with a proposal, or the verified ones whose verification ends soon. */
export type Queue = VerificationStatus | 'proposals' | 'ending';

/** The place of a doctor. */
export const queuePlaceOf = (profile: DoctorProfile, which?: Queue): QueuePlace => {
  const isByEnd = which === 'ending' || which === VERIFICATION_STATUSES.EXPIRED;
  const submittedAt =
    which === 'proposals' ? profile.proposal?.submittedAt : isByEnd && profile.verification?.until;
  return { submittedAt: submittedAt || submittedAtOf(profile), id: profile._id };
};

/** Orders two places, the oldest first. */
const comparePlaces = (a: QueuePlace, b: QueuePlace): number =>
  a.submittedAt.getTime() - b.submittedAt.getTime() || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));

/** Puts profiles in the order of the queue. */
export const inQueueOrder = (profiles: readonly DoctorProfile[], which: Queue): DoctorProfile[] =>
  profiles.toSorted((a, b) => comparePlaces(queuePlaceOf(a, which), queuePlaceOf(b, which)));

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
export function rangesAfter({ submittedAt, id }: QueuePlace, which: Queue, now: Date): QueueRange[] {
  return kindsOf(which, now).flatMap(({ time, within, ...status }) => {
    const visible = { ...status, removal: null };
    const sameTime = within ? { $eq: submittedAt, ...within } : submittedAt;
    return [
      { time, filter: { ...visible, [time]: sameTime, _id: { $gt: id } } },
      { time, filter: { ...visible, [time]: { $gt: submittedAt, ...within } } },
    ];
  });
}

/** Which doctors a queue has, the field with the time of their places, and the times that it has. */
function kindsOf(which: Queue, now: Date): { time: string; within?: object; [status: string]: unknown }[] {
  if (which === 'proposals') {
    return [{ time: 'proposal.submittedAt' }];
  }
  const { PENDING, EXPIRED } = VERIFICATION_STATUSES;
  if (which === 'ending') {
    const soon = new Date(now.getTime() + ENDING_MILLIS);
    return [{ time: END, within: { $gte: new Date(now.getTime() + 1), $lte: soon } }];
  }
  if (which === EXPIRED) {
    return [{ time: END, within: { $lte: now } }];
  }
  const decidedOn = { 'verification.status': which, time: 'verification.submittedAt' };
  const notDecidedOn = { 'verification.status': null, time: 'createdAt' };
  return which === PENDING ? [decidedOn, notDecidedOn] : [decidedOn];
}

const END = 'verification.until';
