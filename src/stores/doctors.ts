import DataLoader from 'dataloader';
import type { mongo } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { type AccountCorrection, type AccountStore, newId } from './accounts.ts';
import { asReviewed, DoctorFiles } from './doctor-files.ts';
import { matchedChange, matchedFieldsOf } from './doctor-matches.ts';
import {
  DOCUMENT_FIELDS,
  type DoctorDocumentPaths,
  type DoctorProfile,
  type DoctorProfileTexts,
  NOT_REVIEWED,
  notingReplaced,
  OPTIONAL_TEXTS,
  type Proposal,
  REQUIRED_TEXTS,
  type StoredVerification,
  someTextsOf,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type VerificationStatus,
  verificationOf,
} from './doctor-profile-record.ts';
import { type EventNote, noting } from './event-notes.ts';
import { problemOfProfile } from './invalid-records.ts';
import { CONFIRMED, inBatchesOfRequests, type OwnedRecord, pagesBefore } from './store.ts';

export type { DocumentRemover } from './doctor-files.ts';
export {
  ALL_DOCUMENTS,
  ALL_GROUNDS,
  DOCTOR_DOCUMENTS,
  type DoctorDocument,
  type DoctorDocumentPaths,
  type DoctorProfile,
  documentsAskedFor,
  FIELD_OF_GROUP,
  groundsOf,
  NOT_REVIEWED,
  notingReplaced,
  type Proposal,
  type ProposalView,
  proposalOf,
  REJECTION_GROUNDS,
  REVIEWED_FIELDS,
  type RejectionGround,
  type StoredVerification,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type Verification,
  type VerificationStatus,
  verificationOf,
} from './doctor-profile-record.ts';
export { TRASH_DAYS } from './swept-profiles.ts';

/** The fields needed to know whether a profile can be shown, and its verification. The long texts stay in the database. */
const STATUS_FIELDS = [...REQUIRED_TEXTS, 'licenseFilePath', 'diplomaFilePath', 'verification', 'removal'];
const STATUS_PROJECTION = Object.fromEntries(STATUS_FIELDS.map((field) => [field, 1]));

const STATUSES: readonly unknown[] = Object.values(VERIFICATION_STATUSES);

/** Profiles are decoded without a break, a batch at a time. One may have 20,000 characters. */
const DECODED_AT_ONCE = 50;

/** The doctors with the same license number, or document. The accounts of some may be gone. */
const MAX_MATCHES = 20;

/** What a correction by a doctor stores. */
export interface DoctorCorrection {
  /** For the account. Those that stay are absent. */
  account: AccountCorrection;
  /** For the profile. Those that stay are absent. */
  texts: Partial<DoctorProfileTexts>;
  /** What waits for a decision from then on; undefined: nothing. */
  proposal: Proposal | undefined;
}

/**
 * The profiles of doctors, with their review and their documents.
 *
 * A profile has the id of its account, and is visible only through it. `verification` and `revision` are absent until the first
 * change. Documents that are submitted again wait in `resubmitted`, and the next decision moves them to the place of those of
 * the last one. A decision, resubmission or correction changes only the revision that was read, so of two at the same time, one
 * takes effect. What it changes in the account waits in `accountChange` until {@link finishAccountChange}.
 */
export class DoctorStore extends DoctorFiles {
  readonly #statuses: DataLoader<string, VerificationStatus>;

  constructor(database: LimitedConnection, accounts: AccountStore) {
    super(database, accounts);
    this.#statuses = new DataLoader((ids) => this.#statusesOf(ids), inBatchesOfRequests());
  }

  /**
   * Stores the profile of a doctor who registers: what nobody has reviewed.
   * @throws a duplicate key error if there is a profile with the id
   */
  insert(profile: DoctorProfile): Promise<void> {
    const texts = someTextsOf(profile, OPTIONAL_TEXTS);
    return this.records.insert({ ...profile, ...texts, ...matchedFieldsOf(profile) });
  }

  /** Takes an insert back. The path distinguishes the profile from that of an imported account with the same id. */
  async withdraw({ _id, licenseFilePath }: Pick<DoctorProfile, '_id' | 'licenseFilePath'>): Promise<void> {
    await this.records.remove({ _id, licenseFilePath });
  }

  /** @returns undefined if there is none, or it is being removed */
  async find(id: string): Promise<DoctorProfile | undefined> {
    const profile = await this.records.first({ _id: id });
    return profile && isVisible(profile) ? profile : undefined;
  }

  /** The profiles among these, by their ids. Without those that are being removed. */
  async findMany(ids: readonly string[]): Promise<ReadonlyMap<string, DoctorProfile>> {
    const found = await this.records.list({ _id: { $in: [...ids] } });
    return new Map(found.filter(isVisible).map((profile) => [profile._id, profile]));
  }

  /** The status of a doctor; `pending` if the profile is missing or cannot be shown. Simultaneous calls share a query. */
  statusOf(id: string): Promise<VerificationStatus> {
    return this.#statuses.load(id);
  }

  /** The status of each of these doctors, as a majority has confirmed it. Others are left out. */
  async confirmedStatuses(ids: readonly string[]): Promise<ReadonlyMap<string, VerificationStatus>> {
    const filter = { _id: { $in: [...ids] } };
    return statusesIn(await this.records.list(filter, { ...CONFIRMED, projection: STATUS_PROJECTION }));
  }

  async #statusesOf(ids: readonly string[]): Promise<VerificationStatus[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const byId = statusesIn(await this.records.list(filter, { projection: STATUS_PROJECTION }));
    return ids.map((id) => byId.get(id) ?? NOT_REVIEWED.status);
  }

  /**
   * The next doctors behind a place in the queue. Each range of the queue is read from its index (the last three of
   * doctor-profile-record.ts); the order between the ranges is made here.
   */
  async queue(which: Queue, after: QueuePlace, limit: number): Promise<DoctorProfile[]> {
    const found = await Promise.all(
      rangesAfter(after, which).map(({ filter, time }) => {
        return this.records.list(filter, { sort: { [time]: 1, _id: 1 }, limit, batchSize: DECODED_AT_ONCE });
      }),
    );
    return inQueueOrder(found.flat(), which).slice(0, limit);
  }

  /**
   * The doctors with the same license number or document as one, also as a proposal, or submitted again. Both queries have an index; with
   * many doctors they find some of them.
   */
  async matching({ _id, licenseKeys = [], documentHashes = [] }: DoctorProfile): Promise<DoctorProfile[]> {
    const sha256 = { $in: documentHashes.map((one) => one.sha256) };
    const filters = [{ 'documentHashes.sha256': sha256 }, { licenseKeys: { $in: licenseKeys } }];
    const found = await Promise.all(
      filters.map((filter) => {
        return this.records.list({ ...filter, removal: null }, { limit: MAX_MATCHES });
      }),
    );
    return [...new Map(found.flat().map((one) => [one._id, one])).values()].filter((one) => one._id !== _id);
  }

  /**
   * Stores a decision. Documents that were submitted again replace those of the last decision; the imported ones among those are
   * noted in `replaced` until {@link removeReplacedFiles} has removed them. A proposal ends.
   * @param before the profile as it was read
   * @param isProposalAccepted whether the profile and the account become what the proposal says
   * @returns the profile after the decision, whose account may still have to take it ({@link finishAccountChange}); undefined if it was decided on, submitted again or corrected since it was read
   */
  async decide(
    before: DoctorProfile,
    verification: StoredVerification,
    isProposalAccepted: boolean,
    note: EventNote,
  ): Promise<DoctorProfile | undefined> {
    const { proposal, resubmitted, ...profile } = await this.finishAccountChange(before);
    const replaced = notingReplaced(profile, { ...profile, ...resubmitted });
    const { name, submittedAt: _, ...texts } = (isProposalAccepted && proposal) || {};
    const account = name === undefined ? {} : { name };
    const after = {
      ...profile,
      ...resubmitted,
      ...replaced,
      verification,
      ...correctionOf(profile, { account, texts }, verification.decidedAt ?? verification.submittedAt),
    };
    return (await this.#change(before, after, note)) ? after : undefined;
  }

  /**
   * Stores a correction by the doctor. A new proposal takes its place in the queue.
   * @param before the profile as it was read
   * @returns and leaves to its caller what {@link decide} does
   */
  async correct(
    before: DoctorProfile,
    { proposal, ...correction }: DoctorCorrection,
    now: Date,
    note: EventNote,
  ): Promise<DoctorProfile | undefined> {
    const { proposal: _former, ...profile } = await this.finishAccountChange(before);
    const after = {
      ...profile,
      ...correctionOf(profile, correction, now),
      ...(proposal && { proposal }),
    };
    return (await this.#change(before, after, note)) ? after : undefined;
  }

  /** @returns false if the profile was changed since it was read */
  async #change(before: DoctorProfile, after: DoctorProfile, note: EventNote): Promise<boolean> {
    const change = noting(matchedChange(before, after), note);
    return this.records.update(asReviewed(before), change);
  }

  /**
   * Stores the documents of a rejected doctor beside those of the last decision, and puts the doctor at the end of the queue.
   * @param before the profile as it was read
   * @param changed the new ones, with their hashes. The others wait for the decision, too
   * @returns the profile after it; undefined if the doctor is not rejected, or another request was faster
   */
  async resubmit(
    before: DoctorProfile,
    { documentHashes = [], ...changed }: Partial<DoctorDocumentPaths> & Pick<DoctorProfile, 'documentHashes'>,
    submittedAt: Date,
    note: EventNote,
  ): Promise<DoctorProfile | undefined> {
    const { licenseFilePath, diplomaFilePath, certificationFilePath } = { ...before, ...changed };
    const { PENDING, REJECTED } = VERIFICATION_STATUSES;
    const after = {
      ...before,
      verification: { ...verificationOf(before), status: PENDING, submittedAt },
      revision: (before.revision ?? 0) + 1,
      resubmitted: { licenseFilePath, diplomaFilePath, certificationFilePath },
      documentHashes: [...(before.documentHashes ?? []), ...documentHashes],
    };
    const isRejected = before.verification?.status === REJECTED;
    return isRejected && (await this.#change(before, after, note)) ? after : undefined;
  }

  /**
   * Records that a document gets new content under its name: a decision on the old one is refused, and the sweep hashes the new one.
   * @param times 0 if that is recorded already. Once too often does no harm after a kill
   */
  async noteNewContent(path: string, times: 0 | 1 = 1): Promise<void> {
    for (const field of DOCUMENT_FIELDS) {
      const $pull = { documentHashes: { path } };
      const change = { $inc: { revision: times }, $pull, $set: { unhashed: newId() } };
      await this.records.updateAll({ [field]: path }, change);
    }
  }

  /** The profiles that were created before a moment, in pages. A profile has the id of its account. */
  async *pagesBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    for await (const page of pagesBefore(moment, this.records.pages({ createdAt: 1 }))) {
      yield page.map(({ _id }) => ({ _id, accountId: _id }));
    }
  }
}

/** A removal that has begun may have taken documents. */
const isVisible = ({ removal }: DoctorProfile): boolean => !removal;

const statusesIn = (profiles: readonly DoctorProfile[]): ReadonlyMap<string, VerificationStatus> =>
  new Map(profiles.filter(isVisible).map((profile) => [profile._id, statusIn(profile)]));

function statusIn(profile: DoctorProfile): VerificationStatus {
  const { status } = problemOfProfile(profile) === undefined ? verificationOf(profile) : NOT_REVIEWED;
  // Another program may have stored another word.
  return STATUSES.includes(status) ? status : NOT_REVIEWED.status;
}

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

/** The doctors of a status, or those with a proposal. */
export type Queue = VerificationStatus | 'proposals';

/** The place of a doctor. */
export const queuePlaceOf = (profile: DoctorProfile, which?: Queue): QueuePlace => ({
  submittedAt: (which === 'proposals' && profile.proposal?.submittedAt) || submittedAtOf(profile),
  id: profile._id,
});

/** Orders two places, the oldest first. */
const comparePlaces = (a: QueuePlace, b: QueuePlace): number =>
  a.submittedAt.getTime() - b.submittedAt.getTime() || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));

/** Puts profiles in the order of the queue. */
const inQueueOrder = (profiles: readonly DoctorProfile[], which: Queue): DoctorProfile[] =>
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
function rangesAfter({ submittedAt, id }: QueuePlace, which: Queue): QueueRange[] {
  return kindsOf(which).flatMap(({ time, ...status }) => {
    const visible = { ...status, removal: null };
    return [
      { time, filter: { ...visible, [time]: submittedAt, _id: { $gt: id } } },
      { time, filter: { ...visible, [time]: { $gt: submittedAt } } },
    ];
  });
}

/** Which doctors a queue has, and the field with the time of their places. */
function kindsOf(which: Queue) {
  if (which === 'proposals') {
    return [{ time: 'proposal.submittedAt' }];
  }
  const decidedOn = { 'verification.status': which, time: 'verification.submittedAt' };
  const notDecidedOn = { 'verification.status': null, time: 'createdAt' };
  return which === VERIFICATION_STATUSES.PENDING ? [decidedOn, notDecidedOn] : [decidedOn];
}

/** What a profile stores of a correction: the texts, and what its account is still to take. */
function correctionOf(
  { revision: former, corrected }: DoctorProfile,
  { account, texts }: Omit<DoctorCorrection, 'proposal'>,
  at: Date,
): Partial<DoctorProfile> {
  const revision = (former ?? 0) + 1;
  const names = Object.keys(texts);
  const marks = Object.fromEntries(names.map((name) => [name, true as const]));
  return {
    ...texts,
    revision,
    ...(names.length > 0 && { corrected: { ...corrected, ...marks } }),
    ...(Object.keys(account).length > 0 && { accountChange: { revision, at, fields: account } }),
  };
}
