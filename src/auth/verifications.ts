import DataLoader from 'dataloader';
import { type Account, ROLES } from '../stores/accounts/accounts.ts';
import {
  type DoctorProfile,
  type DoctorProfileModel,
  NOT_REVIEWED,
  VERIFICATION_STATUSES,
  type VerificationStatus,
  verificationOf,
} from '../stores/doctors/doctors.ts';
import { REQUIRED_TEXTS } from '../stores/doctors/profile-texts.ts';
import { flawOfProfile } from '../stores/flaws.ts';
import type { Caller } from './caller.ts';
import { inBatchesOfRequests } from './look-ups.ts';

/** What tells a profile that can be shown. The long texts stay in the database. */
const FIELDS = [...REQUIRED_TEXTS, 'licenseFilePath', 'diplomaFilePath', 'verification'];
const PROJECTION = Object.fromEntries(FIELDS.map((field) => [field, 1]));

const STATUSES: readonly unknown[] = Object.values(VERIFICATION_STATUSES);

/** Tells other services what reviewers have decided about a doctor. */
export class Verifications {
  readonly #profiles: DataLoader<string, DoctorProfile | undefined>;

  constructor(profiles: DoctorProfileModel) {
    this.#profiles = new DataLoader(async (ids) => {
      const filter = { _id: { $in: [...new Set(ids)] } } as object;
      const query = profiles.collection.find(filter, { projection: PROJECTION });
      // The driver does not know the type of the model. The query is for the fields that are read below.
      const found = (await query.toArray()) as unknown as DoctorProfile[];
      const byId = new Map(found.map((profile) => [profile._id, profile]));
      return ids.map((id) => byId.get(id));
    }, inBatchesOfRequests());
  }

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
    if (role !== ROLES.DOCTOR) {
      return undefined;
    }
    const profile = await timeBudget.within(() => this.#profiles.load(id));
    const isShown = profile !== undefined && flawOfProfile(profile) === undefined;
    const { status } = isShown ? verificationOf(profile) : NOT_REVIEWED;
    // Another program may have stored another word.
    return STATUSES.includes(status) ? status : NOT_REVIEWED.status;
  }
}
