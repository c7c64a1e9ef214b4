import type { DocumentStore } from '../../documents/document-store.ts';
import {
  ALL_DOCUMENTS,
  type DoctorProfile,
  type DoctorStore,
  documentsAskedFor,
  endOf,
  hasRenewal,
  mayRenew,
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

const ONLY_AFTER_REJECTION = 'Documents can be submitted again only after a rejection.';
const ONLY_NEAR_END = 'Documents can be submitted only from 60 days before the verification ends.';
const WAITING = 'Your new documents wait for a decision already.';

function notNow(profile?: DoctorProfile): ValidationError {
  const ofVerified = profile && hasRenewal(profile) ? WAITING : ONLY_NEAR_END;
  const text = profile && endOf(profile) ? ofVerified : ONLY_AFTER_REJECTION;
  return new ValidationError({ input: broken('state', text) });
}

/**
 * Refuses a missing document that the rejection asks for, and any other one. A renewal may have any.
 * @throws ValidationError on the fields
 */
function requireAskedFor(profile: DoctorProfile, documents: SomeDocuments): void {
  if (storedStatusOf(profile) === STORED_STATUSES.VERIFIED) {
    if (!ALL_DOCUMENTS.some((document) => documents[DOCUMENT_PLACES[document].field])) {
      throw new ValidationError({ input: broken('required', 'At least one document is required.') });
    }
    return;
  }
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
   * Admits and counts the documents of a rejected doctor, or of one who renews the verification. Call it before the body is received, so that nobody else can send
   * 31 MB, and a doctor not often.
   * @throws ValidationError on `input` if the doctor may not send any now; TooManyAttemptsError
   */
  async admit({ account }: Session, caller: Caller): Promise<Admission> {
    const { acts, actThrottle } = this.parts;
    await acts.recordRefusal(accountSubject('resubmission', account), caller, () =>
      caller.timeBudget.within(async () => {
        await this.#requirePossible(account.id);
        await actThrottle.beforeReviewed('resubmissions', account.id, caller.ip);
      }),
    );
    return new Admission('resubmission');
  }

  /**
   * Submits the documents of a rejected doctor again, or new ones to renew a verification.
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
   * The profile of a doctor who may submit documents.
   * @throws ValidationError on `input` for others
   */
  async #requirePossible(accountId: string): Promise<DoctorProfile> {
    const { doctors, clock } = this.parts;
    const profile = await doctors.find(accountId);
    if (!profile || problemOfProfile(profile)) {
      throw notNow();
    }
    if (storedStatusOf(profile) !== STORED_STATUSES.REJECTED && !mayRenew(profile, clock.now())) {
      throw notNow(profile);
    }
    return profile;
  }

  /**
   * Keeps the documents beside those of the last decision, and puts the doctor at the end of a queue of reviewers.
   * @param documents as the rejection asks for them, or one to three
   * @throws ValidationError on `input` if the doctor may not send any now, or another request was faster; on the fields of documents
   *   that are missing, or not asked for. The documents are then removed
   */
  async #run(
    accountId: string,
    documents: SomeDocuments,
    note: EventNote,
    caller: Caller,
  ): Promise<DoctorProfile> {
    const { doctors, clock, log } = this.parts;
    const profile = await this.#requirePossible(accountId);
    requireAskedFor(profile, documents);
    return asUnitOfWork(log, async (unit) => {
      const keep = () => keepDocuments(this.parts.documents, unit, documents);
      const resubmitted = await caller.timeBudget.pauseFor(keep);
      const submittedAt = new Date(clock.now());
      return unit.commit(async () => {
        const after = await doctors.resubmit(profile, resubmitted, submittedAt, note);
        if (!after) {
          throw notNow(await doctors.find(accountId));
        }
        return after;
      });
    });
  }
}
