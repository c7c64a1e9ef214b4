import { Schema } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import type { DoctorProfile } from './doctor-profile-record.ts';
import { Store } from './store.ts';

/** How long the sweep keeps what it removes. */
export const TRASH_DAYS = 30;

/** A profile without an account, which the sweep has removed. It comes back if the account does. */
interface SweptProfile {
  /** The id of the profile and of its account. */
  _id: string;
  profile: DoctorProfile;
  sweptAt: Date;
}

export const sweptProfileSchema = new Schema<SweptProfile>(
  {
    _id: { type: String, required: true },
    profile: { type: Schema.Types.Mixed, required: true },
    sweptAt: { type: Date, required: true },
  },
  { collection: 'swept_profiles' },
);
sweptProfileSchema.index({ sweptAt: 1 }, { expireAfterSeconds: TRASH_DAYS * 86_400 });

/** The trash of profiles: a collection of its own, because an account that gets the id of an orphan must not meet it. */
export class SweptProfiles extends Store<SweptProfile> {
  constructor(database: LimitedConnection) {
    super(database, sweptProfileSchema);
  }

  /** Keeps a copy of a profile that is about to be removed. It replaces an earlier one. */
  async put(profile: DoctorProfile, sweptAt: Date): Promise<void> {
    const change = { $set: { profile, sweptAt } };
    await this.records.update({ _id: profile._id }, change, { upsert: true });
  }

  async find(id: string): Promise<DoctorProfile | undefined> {
    return (await this.records.first({ _id: id }))?.profile;
  }

  /** The ids of the swept profiles, in their order and in pages. */
  async *idPages(): AsyncGenerator<string[]> {
    for await (const page of this.records.pages({ _id: 1 })) {
      yield page.map(({ _id }) => _id);
    }
  }

  /** Removes a profile for good. */
  async remove(id: string): Promise<void> {
    await this.records.remove({ _id: id });
  }
}
