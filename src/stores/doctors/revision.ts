import type { DoctorProfile } from './profile-record.ts';

/** The filter for a profile that nobody has reviewed, submitted again or begun to remove since it was read. */
export function asReviewed({ _id, revision }: Pick<DoctorProfile, '_id' | 'revision'>) {
  const seen = revision ?? 0;
  return { _id, revision: seen === 0 ? { $in: [0, null] } : seen, removal: null };
}
