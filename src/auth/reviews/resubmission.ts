import type { DocumentStore } from '../../documents/document-store.ts';
import {
  ALL_DOCUMENTS,
  type DoctorProfile,
  type DoctorStore,
  documentsAskedFor,
  NOT_REVIEWED,
  STORED_STATUSES,
  storedStatusOf,
} from '../../stores/doctors.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import { problemOfProfile } from '../../stores/invalid-records.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import { type FieldErrors, ValidationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { accountSubject, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import { Admission, DOCUMENT_PLACES, keepDocuments, type SomeDocuments } from '../doctor-documents.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { Session } from '../tokens/sessions.ts';
import { asUnitOfWork } from '../unit-of-work.ts';

interface ResubmissionParts {
  acts: RecordedActs;
  actThrottle: ActThrottle;
  doctors: DoctorStore;
  documents: DocumentStore;
  clock: Clock;
  log: Logger;
}

const notRejected = () =>
  new ValidationError({ input: broken('state', 'Documents can be submitted again only after a rejection.') });

/**
 * Refuses a missing document that the rejection asks for, and any other one.
 * @throws ValidationError on the fields
 */
function requireAskedFor(profile: DoctorProfile, documents: SomeDocuments): void {
  const asked = documentsAskedFor(profile.verification ?? NOT_REVIEWED);
  const problems: FieldErrors = {};
  for (const document of ALL_DOCUMENTS) {
    const { field } = DOCUMENT_PLACES[document];
    if (asked.includes(document) && !documents[field]) {
      problems[field] = broken('required', `The ${document} file field is required.`);
    } else if (!asked.includes(document) && documents[field]) {
      problems[field] = broken('prohibited', `The ${document} file field is prohibited.`);
    }
  }
  if (Object.keys(problems).length > 0) {
    throw new ValidationError(problems);
  }
}

/** Submits documents again, as a unit of work: the update of the profile makes them visible, all at once. */
export class Resubmission {
  constructor(private readonly parts: ResubmissionParts) {}

  /**
   * Admits and counts the documents of a rejected doctor. Call it before the body is received, so that nobody else can send
   * 31 MB, and a doctor not often.
   * @throws ValidationError on `input` if the doctor is not rejected; TooManyAttemptsError
   */
  async admit({ account }: Session, caller: Caller): Promise<Admission> {
    const { acts, actThrottle } = this.parts;
    await acts.recordRefusal(accountSubject('resubmission', account), caller, () =>
      caller.timeBudget.within(async () => {
        await this.#requireRejected(account.id);
        await actThrottle.beforeReviewed('resubmissions', account.id, caller.ip);
      }),
    );
    return new Admission('resubmission');
  }

  /**
   * Submits the documents of a rejected doctor again.
   * @param admission of this resubmission
   * @throws ValidationError on `input` and the documents
   */
  async submit(
    documents: SomeDocuments,
    { account }: Session,
    caller: Caller,
    admission: Admission,
  ): Promise<DoctorProfile> {
    admission.use('resubmission');
    return this.parts.acts.record(accountSubject('resubmission', account), caller, async (note) => ({
      result: await this.#run(account.id, documents, note, caller),
    }));
  }

  /**
   * The profile of a doctor who may submit documents again.
   * @throws ValidationError on `input` if the doctor is not rejected
   */
  async #requireRejected(accountId: string): Promise<DoctorProfile> {
    const profile = await this.parts.doctors.find(accountId);
    if (!profile || problemOfProfile(profile) || storedStatusOf(profile) !== STORED_STATUSES.REJECTED) {
      throw notRejected();
    }
    return profile;
  }

  /**
   * Keeps the documents beside those of the last decision, and puts the doctor at the end of the reviewers' queue.
   * @param documents as the rejection asks for them
   * @throws ValidationError on `input` if the doctor is not rejected, or another request was faster; on the fields of documents
   *   that are missing, or not asked for. The documents are then removed
   */
  async #run(
    accountId: string,
    documents: SomeDocuments,
    note: EventNote,
    caller: Caller,
  ): Promise<DoctorProfile> {
    const { doctors, clock, log } = this.parts;
    const profile = await this.#requireRejected(accountId);
    requireAskedFor(profile, documents);
    return asUnitOfWork(log, async (unit) => {
      const keep = () => keepDocuments(this.parts.documents, unit, documents);
      const resubmitted = await caller.timeBudget.pauseFor(keep);
      const submittedAt = new Date(clock.now());
      return unit.commit(async () => {
        const after = await doctors.resubmit(profile, resubmitted, submittedAt, note);
        if (!after) {
          throw notRejected();
        }
        return after;
      });
    });
  }
}
