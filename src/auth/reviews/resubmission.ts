import type { DocumentStore } from '../../documents/document-store.ts';
import { ValidationError } from '../../errors/errors.ts';
import {
  type DoctorProfile,
  type DoctorProfileModel,
  NOT_REVIEWED,
  VERIFICATION_STATUSES,
} from '../../stores/doctors/doctors.ts';
import { flawOfProfile } from '../../stores/flaws.ts';
import type { Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import type { Caller } from '../caller.ts';
import { type DoctorDocuments, keepDocuments } from '../doctor-documents.ts';
import { asUnitOfWork } from '../unit-of-work.ts';
import { asReviewed } from './reviewed-doctor.ts';

interface ResubmissionParts {
  profiles: DoctorProfileModel;
  documents: DocumentStore;
  clock: Clock;
  log: Logger;
}

const { PENDING, REJECTED } = VERIFICATION_STATUSES;

const notRejected = () =>
  new ValidationError({ input: ['Documents can be submitted again only after a rejection.'] });

/** Submits documents again, as a unit of work: the update of the profile makes them visible, all three at once. */
export class Resubmission {
  constructor(private readonly parts: ResubmissionParts) {}

  /**
   * The profile of a doctor who may submit documents again.
   * @throws ValidationError on `input` if the doctor is not rejected
   */
  async requireRejected(accountId: string): Promise<DoctorProfile> {
    const profile = await this.parts.profiles.findById(accountId).lean<DoctorProfile>();
    if (!profile || flawOfProfile(profile) || profile.verification?.status !== REJECTED) {
      throw notRejected();
    }
    return profile;
  }

  /**
   * Keeps the documents beside those of the last decision, and puts the doctor at the end of the reviewers' queue.
   * @throws ValidationError on `input` if the doctor is not rejected, or another request was faster. The documents are then
   *   removed
   */
  async run(accountId: string, documents: DoctorDocuments, caller: Caller): Promise<DoctorProfile> {
    const { profiles, clock, log } = this.parts;
    const profile = await this.requireRejected(accountId);
    return asUnitOfWork(log, async (unit) => {
      const keep = () => keepDocuments(this.parts.documents, unit, documents);
      const resubmitted = await caller.timeBudget.pauseFor(keep);
      const submittedAt = new Date(clock.now());
      const changes = {
        verification: { ...(profile.verification ?? NOT_REVIEWED), status: PENDING, submittedAt },
        revision: (profile.revision ?? 0) + 1,
        resubmitted,
      };
      await unit.commit(async () => {
        const { matchedCount } = await profiles.updateOne(
          { ...asReviewed(profile), 'verification.status': REJECTED },
          { $set: changes },
        );
        if (matchedCount === 0) {
          throw notRejected();
        }
      });
      return { ...profile, ...changes };
    });
  }
}
