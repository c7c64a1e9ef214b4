import { type Connection, type Model, Schema } from 'mongoose';
import type { DoctorProfile } from './doctors/profile-record.ts';

/** How long the sweep keeps what it removes. */
export const TRASH_DAYS = 30;

/** A profile without an account, which the sweep has removed. It comes back if the account does. */
export interface SweptProfile {
  /** The id of the profile and of its account. */
  _id: string;
  profile: DoctorProfile;
  sweptAt: Date;
}

export type SweptProfileModel = Model<SweptProfile>;

const sweptProfileSchema = new Schema<SweptProfile>(
  {
    _id: { type: String, required: true },
    profile: { type: Schema.Types.Mixed, required: true },
    sweptAt: { type: Date, required: true },
  },
  { collection: 'swept_profiles', versionKey: false },
);
sweptProfileSchema.index({ sweptAt: 1 }, { expireAfterSeconds: TRASH_DAYS * 86_400 });

/** The swept profiles of a connection. */
export const sweptProfileModel = (connection: Connection): SweptProfileModel =>
  connection.model<SweptProfile>('SweptProfile', sweptProfileSchema);
