import DataLoader from 'dataloader';
import type { LimitedConnection } from '../../database/exchange-limit.ts';
import type { AccountStore } from '../accounts/accounts.ts';
import { inBatchesOfRequests } from '../batches.ts';
import { problemOfProfile } from '../invalid-records.ts';
import { type OwnedRecord, PAGE_SIZE, pagesBefore } from '../pages.ts';
import { asReviewed, DoctorFiles } from './doctor-files.ts';
import { DOCUMENT_FIELDS, notingReplaced } from './document-paths.ts';
import {
  type DoctorDocumentPaths,
  type DoctorProfile,
  NOT_REVIEWED,
  type StoredVerification,
  VERIFICATION_STATUSES,
  type VerificationStatus,
  verificationOf,
} from './profile-record.ts';
import { type DoctorProfileTexts, OPTIONAL_TEXTS, REQUIRED_TEXTS, someTextsOf } from './profile-texts.ts';
import { inQueueOrder, type QueuePlace, rangesAfter } from './queue.ts';

export type { DocumentRemover } from './doctor-files.ts';
export { notingReplaced } from './document-paths.ts';
export {
  type DoctorDocumentPaths,
  type DoctorProfile,
  NOT_REVIEWED,
  type StoredVerification,
  submittedAtOf,
  VERIFICATION_STATUSES,
  type Verification,
  type VerificationStatus,
  verificationOf,
} from './profile-record.ts';
export { QUEUE_START, type QueuePlace, queuePlaceOf } from './queue.ts';
export { TRASH_DAYS } from './swept-profiles.ts';

/** The fields needed to know whether a profile can be shown, and its verification. The long texts stay in the database. */
const STATUS_FIELDS = [...REQUIRED_TEXTS, 'licenseFilePath', 'diplomaFilePath', 'verification', 'removal'];
const STATUS_PROJECTION = Object.fromEntries(STATUS_FIELDS.map((field) => [field, 1]));

const STATUSES: readonly unknown[] = Object.values(VERIFICATION_STATUSES);

/** Profiles are decoded without a break, a batch at a time. One may have 20,000 characters. */
const DECODED_AT_ONCE = 50;

/** The profile of a registration. Nobody has reviewed it. */
type NewProfile = Pick<DoctorProfile, '_id' | 'createdAt'> & DoctorProfileTexts & DoctorDocumentPaths;

/**
 * The profiles of doctors, with their review and their documents.
 *
 * A profile has the id of its account, and is visible only through it. `verification` and `revision` are absent until the first
 * decision. Documents that are submitted again wait in `resubmitted`, and the next decision moves them to the place of those of
 * the last one. A decision or resubmission changes only the revision that was read, so of two at the same time, one takes effect.
 */
export class DoctorStore extends DoctorFiles {
  readonly #statuses: DataLoader<string, VerificationStatus>;

  constructor(database: LimitedConnection, accounts: AccountStore) {
    super(database, accounts);
    this.#statuses = new DataLoader((ids) => this.#statusesOf(ids), inBatchesOfRequests());
  }

  /**
   * Stores the profile of a doctor who registers.
   * @throws a duplicate key error if there is a profile with the id
   */
  async insert(profile: NewProfile): Promise<void> {
    const record: DoctorProfile = {
      _id: profile._id,
      ...someTextsOf(profile, REQUIRED_TEXTS),
      licenseFilePath: profile.licenseFilePath,
      diplomaFilePath: profile.diplomaFilePath,
      certificationFilePath: profile.certificationFilePath,
      ...someTextsOf(profile, OPTIONAL_TEXTS),
      createdAt: profile.createdAt,
    };
    await this.within(this.collection.insertOne(record));
  }

  /** Takes an insert back. The path distinguishes the profile from that of an imported account with the same id. */
  async withdraw({ _id, licenseFilePath }: Pick<NewProfile, '_id' | 'licenseFilePath'>): Promise<void> {
    await this.within(this.collection.deleteOne({ _id, licenseFilePath }));
  }

  /** @returns undefined if there is none, or it is being removed */
  async find(id: string): Promise<DoctorProfile | undefined> {
    const profile = await this.within(this.collection.findOne({ _id: id }));
    return profile && isVisible(profile) ? profile : undefined;
  }

  /** The profiles among these, by their ids. Without those that are being removed. */
  async findMany(ids: readonly string[]): Promise<ReadonlyMap<string, DoctorProfile>> {
    const found = await this.within(this.collection.find({ _id: { $in: [...ids] } }).toArray());
    return new Map(found.filter(isVisible).map((profile) => [profile._id, profile]));
  }

  /** The status of a doctor; `pending` if the profile is missing or cannot be shown. Simultaneous calls share a query. */
  statusOf(id: string): Promise<VerificationStatus> {
    return this.#statuses.load(id);
  }

  async #statusesOf(ids: readonly string[]): Promise<VerificationStatus[]> {
    const filter = { _id: { $in: [...new Set(ids)] } };
    const query = this.collection.find(filter, { projection: STATUS_PROJECTION });
    const found = await this.within(query.toArray());
    const byId = new Map(found.filter(isVisible).map((profile) => [profile._id, statusIn(profile)]));
    return ids.map((id) => byId.get(id) ?? NOT_REVIEWED.status);
  }

  /**
   * The next doctors of a status behind a place in the queue. Each range of the queue is read from its index; the order between
   * the ranges is made here.
   */
  async queue(status: VerificationStatus, after: QueuePlace, limit: number): Promise<DoctorProfile[]> {
    const found = await Promise.all(
      rangesAfter(after, status).map(({ filter, time }) => {
        const query = this.collection.find(filter).sort({ [time]: 1, _id: 1 });
        return this.within(query.limit(limit).batchSize(DECODED_AT_ONCE).toArray());
      }),
    );
    return inQueueOrder(found.flat()).slice(0, limit);
  }

  /**
   * Stores a decision. Documents that were submitted again replace those of the last decision; the imported ones among those are
   * noted in `replaced` until {@link removeReplacedFiles} has removed them.
   * @param before the profile as it was read
   * @returns the profile after the decision; undefined if it was decided on or submitted again since it was read
   */
  async decide(before: DoctorProfile, verification: StoredVerification): Promise<DoctorProfile | undefined> {
    const { resubmitted, ...profile } = before;
    const replaced = notingReplaced(profile, { ...profile, ...resubmitted });
    const revision = (profile.revision ?? 0) + 1;
    const changes = { ...resubmitted, ...replaced, verification, revision };
    const change = { $set: changes, $unset: { resubmitted: true as const } };
    const { matchedCount } = await this.within(this.collection.updateOne(asReviewed(profile), change));
    return matchedCount === 0 ? undefined : { ...profile, ...changes };
  }

  /**
   * Stores the documents of a rejected doctor beside those of the last decision, and puts the doctor at the end of the queue.
   * @param before the profile as it was read
   * @returns the profile after it; undefined if the doctor is not rejected, or another request was faster
   */
  async resubmit(
    before: DoctorProfile,
    { licenseFilePath, diplomaFilePath, certificationFilePath }: DoctorDocumentPaths,
    submittedAt: Date,
  ): Promise<DoctorProfile | undefined> {
    const { PENDING, REJECTED } = VERIFICATION_STATUSES;
    const changes = {
      verification: { ...verificationOf(before), status: PENDING, submittedAt },
      revision: (before.revision ?? 0) + 1,
      resubmitted: { licenseFilePath, diplomaFilePath, certificationFilePath },
    };
    const filter = { ...asReviewed(before), 'verification.status': REJECTED };
    const { matchedCount } = await this.within(this.collection.updateOne(filter, { $set: changes }));
    return matchedCount === 0 ? undefined : { ...before, ...changes };
  }

  /**
   * Notes that a document gets another content under its name: whoever has looked at the former one reads again. Once too often
   * does no harm after a kill.
   */
  async noteNewContent(path: string): Promise<void> {
    for (const field of DOCUMENT_FIELDS) {
      await this.within(this.collection.updateMany({ [field]: path }, { $inc: { revision: 1 } }));
    }
  }

  /** The profiles that were created before a moment, in pages. A profile has the id of its account. */
  pagesBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    return pagesBefore(moment, async (lastId) => {
      const query = this.collection.find({ _id: { $gt: lastId } }, { projection: { createdAt: 1 } });
      const found = await this.within(query.sort({ _id: 1 }).limit(PAGE_SIZE).toArray());
      return found.map(({ _id, createdAt }) => ({ _id, accountId: _id, createdAt }));
    });
  }
}

/** A removal that has begun may have taken documents. */
const isVisible = ({ removal }: DoctorProfile): boolean => !removal;

function statusIn(profile: DoctorProfile): VerificationStatus {
  const { status } = problemOfProfile(profile) === undefined ? verificationOf(profile) : NOT_REVIEWED;
  // Another program may have stored another word.
  return STATUSES.includes(status) ? status : NOT_REVIEWED.status;
}
