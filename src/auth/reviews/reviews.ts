import type { DocumentStore } from '../../documents/document-store.ts';
import { type Account, type AccountStore, MAX_ID_CHARACTERS, ROLES } from '../../stores/accounts.ts';
import { inCommon } from '../../stores/doctor-matches.ts';
import {
  ALL_DOCUMENTS,
  ALL_GROUNDS,
  type DoctorDocument,
  type DoctorProfile,
  type DoctorStore,
  type RejectionGround,
  type StoredVerification,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
  verificationOf,
} from '../../stores/doctors.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { EventType } from '../../stores/events.ts';
import type { Clock } from '../../system/clock.ts';
import { broken } from '../../system/error-details.ts';
import { NotFoundError, ValidationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { AuditSubject, AuditTrail, Recorded } from '../audit/audit-trail.ts';
import type { Actor, Caller } from '../caller.ts';
import { finishChange } from '../corrections.ts';
import { DECIDED_TYPES } from '../events/published-acts.ts';
import { againIfOvertaken } from '../overtaken-writes.ts';
import type { OwnerNotices } from '../owner-notices.ts';
import { commit } from '../running-act.ts';
import { type LicenseRule, licenseFitsOf } from './license-rules.ts';
import { type DoctorsPage, type DoctorsQuery, type ReviewedDoctor, ReviewQueue } from './review-queue.ts';

/** What a reviewer can decide about a doctor. */
export const REVIEW_DECISIONS = { APPROVE: 'approve', REJECT: 'reject', SUSPEND: 'suspend' } as const;

export type ReviewDecision = (typeof REVIEW_DECISIONS)[keyof typeof REVIEW_DECISIONS];

/** A decision on a doctor. */
export interface Review {
  /** The id of the doctor; any text. */
  id: string;
  /** The revision of the doctor that the reviewer has seen. A suspension needs none: a doctor must not escape it by corrections. */
  revision?: number | undefined;
  decision: ReviewDecision;
  /** For the doctor to read. */
  reason: string | null;
  /** The documents that a rejected doctor must submit again; empty: all. */
  documents?: readonly DoctorDocument[];
  /** Of a rejection, for the doctor to read besides the reason. */
  grounds?: readonly RejectionGround[];
}

interface ReviewsParts {
  accounts: AccountStore;
  doctors: DoctorStore;
  documents: DocumentStore;
  audit: AuditTrail;
  notices: OwnerNotices;
  /** LICENSE_RULES_FILE. */
  licenseRules: readonly LicenseRule[];
  clock: Clock;
  log: Logger;
}

/** The others that are shown with a doctor. */
export const MAX_OTHERS = 5;

/** The review of doctors, for reviewers and for operators. Its callers check that the actor may do so. */
export class Reviews {
  readonly #queue: ReviewQueue;

  constructor(private readonly parts: ReviewsParts) {
    const { accounts, doctors, notices, licenseRules } = parts;
    this.#queue = new ReviewQueue(accounts, doctors, notices, licenseRules);
  }

  /**
   * The doctors of a status, the oldest documents first. Doctors whose account is disabled are left out.
   * @throws ValidationError on `after`
   */
  page(query: DoctorsQuery): Promise<DoctorsPage> {
    return this.#queue.page(query);
  }

  /**
   * @param id any text
   * @param disabledToo whether the account may be disabled
   * @throws NotFoundError when no such account of a doctor has the id, or it cannot be shown
   */
  async find(id: string, disabledToo = false): Promise<ReviewedDoctor> {
    const { doctors } = this.parts;
    const profile = id.length <= MAX_ID_CHARACTERS ? await doctors.find(id) : undefined;
    // A kill may have kept the account from a change.
    const profiles = profile ? [await doctors.finishAccountChange(profile)] : [];
    const [doctor] = await this.#queue.withAccounts(profiles, disabledToo);
    if (!doctor) {
      throw new NotFoundError('No doctor has this id.');
    }
    return doctor;
  }

  /**
   * A doctor in whatever state, with up to five others in whatever state who have the same license number or document.
   * @throws what {@link find} throws
   */
  async findWithOthers(id: string): Promise<ReviewedDoctor> {
    const doctor = await this.find(id, true);
    const found = await this.parts.doctors.matching(doctor.profile);
    const others = await this.#queue.withAccounts(found, true);
    const compared = others.map((other) => ({ ...other, ...inCommon(doctor.profile, other.profile) }));
    return { ...doctor, others: compared.slice(0, MAX_OTHERS) };
  }

  /**
   * Decides on a doctor. Documents that were submitted again replace those of the last decision. Of a verified doctor with a
   * proposal, an approval applies it and a rejection drops it. The doctor gets a mail.
   * @param byAccountId the account of the reviewer; undefined for an operator, whom the actor names
   * @returns the doctor after the decision; `written` also waits for the mail and the removal of the replaced documents
   * @throws NotFoundError; ValidationError on `revision` if the doctor has changed since, on `decision` if the status does not
   *   allow it, on `documents` and `grounds` if it is no rejection that has them
   */
  async decide(review: Review, actor: Actor, byAccountId?: string): Promise<Recorded<ReviewedDoctor>> {
    const subject: AuditSubject = { act: 'review', byAccountId };
    let aftermath = Promise.resolve();
    const { result, written } = await this.parts.audit.record(subject, actor, async (note) => {
      const decision = await againIfOvertaken(async () => {
        const doctor = await this.find(review.id);
        subject.accountId = doctor.account.id;
        subject.email = doctor.account.email;
        const after = await this.#decide(doctor, review, note);
        return after && { doctor, after };
      });
      if (!decision) {
        throw changedSince();
      }
      const { doctor, after } = decision;
      const isOnCorrection = isAboutCorrection(doctor.profile, review.decision);
      aftermath = this.#finish(doctor, after, actor, isOnCorrection && review.decision);
      const decided = DECIDED[review.decision];
      const cause = isOnCorrection ? `correction ${decided}` : decided;
      return { result: after, facts: { cause, published: typeOfDecision(review.decision, isOnCorrection) } };
    });
    return { result, written: Promise.all([written, aftermath]).then(() => {}) };
  }

  /** @returns undefined if another change was faster */
  async #decide(
    doctor: ReviewedDoctor,
    review: Review,
    note: EventNote,
  ): Promise<ReviewedDoctor | undefined> {
    if (review.decision !== REVIEW_DECISIONS.SUSPEND && doctor.revision !== review.revision) {
      throw changedSince();
    }
    const decidedAt = new Date(this.parts.clock.now());
    const verification = verificationAfter(doctor.profile, review, decidedAt);
    const isAccepted = review.decision === REVIEW_DECISIONS.APPROVE;
    const decide = () => this.parts.doctors.decide(doctor.profile, verification, isAccepted, note);
    const profile = await commit(decide);
    if (!profile) {
      return undefined;
    }
    const { name } = (isAccepted && doctor.profile.proposal) || {};
    const account = { ...doctor.account, ...(name !== undefined && { name, updatedAt: decidedAt }) };
    const fits = licenseFitsOf(profile, this.parts.licenseRules);
    return { ...doctor, account, profile, revision: profile.revision ?? 0, ...fits };
  }

  /** The decision stands even if these fail. */
  async #finish(
    before: ReviewedDoctor,
    { account, profile }: ReviewedDoctor,
    { ip }: Actor,
    onCorrection: ReviewDecision | false,
  ): Promise<void> {
    const { documents, doctors, notices, log } = this.parts;
    const { reason, decidedAt, documents: again, grounds } = profile.verification ?? {};
    const status = onCorrection ? `correction ${DECIDED[onCorrection]}` : profile.verification?.status;
    const order = {
      kind: 'doctor decided',
      to: { accountId: account.id },
      facts: {
        ...(status && { status }),
        ...(reason && { reason }),
        ...(again && { documents: again.join(' ') }),
        ...(grounds && { grounds: grounds.join(' ') }),
        ...(decidedAt && { at: decidedAt.toISOString() }),
      },
    } as const;
    await Promise.all([
      finishChange(profile, this.parts),
      notices.send(order, account.id, ip),
      doctors.removeReplacedFiles(before.profile, profile, documents).catch((err: unknown) => {
        log.warn({ err, accountId: account.id }, 'replaced documents were left to the sweep');
      }),
    ]);
  }
}

const changedSince = () =>
  new ValidationError({ revision: broken('expired', 'The doctor has changed since. Read again.') });

const { PENDING, VERIFIED, REJECTED, SUSPENDED } = VERIFICATION_STATUSES;

/** What each decision leads to, and from where. */
const OUTCOMES: Record<ReviewDecision, { status: VerificationStatus; from: readonly VerificationStatus[] }> =
  {
    approve: { status: VERIFIED, from: [PENDING, REJECTED, SUSPENDED] },
    reject: { status: REJECTED, from: [PENDING, VERIFIED, SUSPENDED] },
    suspend: { status: SUSPENDED, from: [PENDING, VERIFIED] },
  };

/** True for a decision on the proposal of a verified doctor, who stays verified. To suspend one is about the doctor. */
export const isAboutCorrection = (profile: DoctorProfile, decision: ReviewDecision): boolean =>
  profile.proposal !== undefined &&
  verificationOf(profile).status === VERIFIED &&
  decision !== REVIEW_DECISIONS.SUSPEND;

/** What services hear of a decision: nothing, if a proposal was rejected. */
const typeOfDecision = (decision: ReviewDecision, isOnCorrection: boolean): EventType | null => {
  if (isOnCorrection) {
    return decision === REVIEW_DECISIONS.APPROVE ? 'account.updated' : null;
  }
  return DECIDED_TYPES[OUTCOMES[decision].status] ?? null;
};

/** The words of the audit trail. */
export const DECIDED = {
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
} as const satisfies Record<ReviewDecision, string>;

/**
 * The verification of a doctor after a decision.
 * @throws ValidationError on `decision` if the doctor has that status already, or cannot get it; on `documents` and `grounds`
 */
function verificationAfter(
  profile: DoctorProfile,
  { decision, reason, documents = [], grounds = [] }: Review,
  decidedAt: Date,
): StoredVerification {
  const { status, from } = OUTCOMES[decision];
  const isOnCorrection = isAboutCorrection(profile, decision);
  if (documents.length > 0 && (status !== REJECTED || isOnCorrection)) {
    const text = 'Only the rejection of a doctor asks for documents.';
    throw new ValidationError({ documents: broken('prohibited', text) });
  }
  if (grounds.length > 0 && decision !== REVIEW_DECISIONS.REJECT) {
    throw new ValidationError({ grounds: broken('prohibited', 'Only a rejection has grounds.') });
  }
  // In their order, each once.
  const why = ALL_GROUNDS.filter((ground) => grounds.includes(ground));
  const decided = { decidedAt, reason, submittedAt: submittedAtOf(profile) };
  const because = why.length > 0 && { grounds: why };
  const before = verificationOf(profile).status;
  if (isOnCorrection) {
    return { status: before, ...decided, ...because };
  }
  if (before === status) {
    throw new ValidationError({ decision: broken('state', `The doctor is already ${status}.`) });
  }
  if (!from.includes(before)) {
    throw new ValidationError({
      decision: broken('state', `A ${before} doctor cannot be ${DECIDED[decision]}.`),
    });
  }
  const again = ALL_DOCUMENTS.filter((document) => documents.includes(document));
  return {
    ...{ status, ...decided },
    ...(again.length > 0 && { documents: again }),
    ...because,
  };
}

/** What reviewers have decided about a doctor, for other services. */
export class Verifications {
  constructor(private readonly doctors: DoctorStore) {}

  /**
   * The state of a doctor's review. It is read with every question, so a suspension counts at once. Only a doctor costs an
   * exchange with the database.
   * @returns undefined for other accounts; `pending` for a doctor whose profile is missing or cannot be shown
   * @throws ServiceUnavailableError
   */
  async statusOf(
    { id, role }: Pick<Account, 'id' | 'role'>,
    { timeBudget }: Caller,
  ): Promise<VerificationStatus | undefined> {
    return role === ROLES.DOCTOR ? timeBudget.within(() => this.doctors.statusOf(id)) : undefined;
  }
}
