import type { DocumentStore } from '../../documents/document-store.ts';
import { type DoctorProfile, type DoctorStore, VERIFICATION_STATUSES } from '../../stores/doctors.ts';
import { problemOfProfile } from '../../stores/invalid-records.ts';
import type { Clock } from '../../system/clock.ts';
import { ValidationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { Caller } from '../caller.ts';
import { type DoctorDocuments, keepDocuments } from '../doctor-documents.ts';
import { asUnitOfWork } from '../unit-of-work.ts';

interface ResubmissionParts {
  doctors: DoctorStore;
  documents: DocumentStore;
  clock: Clock;
  log: Logger;
}

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
    const profile = await this.parts.doctors.find(accountId);
    if (
      !profile ||
      problemOfProfile(profile) ||
      profile.verification?.status !== VERIFICATION_STATUSES.REJECTED
    ) {
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
    const { doctors, clock, log } = this.parts;
    const profile = await this.requireRejected(accountId);
    return asUnitOfWork(log, async (unit) => {
      const keep = () => keepDocuments(this.parts.documents, unit, documents);
      const resubmitted = await caller.timeBudget.pauseFor(keep);
      const submittedAt = new Date(clock.now());
      return unit.commit(async () => {
        const after = await doctors.resubmit(profile, resubmitted, submittedAt);
        if (!after) {
          throw notRejected();
        }
        return after;
      });
    });
  }
}
