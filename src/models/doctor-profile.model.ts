import { type Connection, type Model, Schema } from 'mongoose';
import {
  type DoctorProfileTexts,
  OPTIONAL_TEXTS,
  type ProfileTextName,
  REQUIRED_TEXTS,
} from './profile-texts.ts';

/** The stored paths of the three documents: `<group>/<name>`, never a URL, so that BASE_URL may change. */
export interface DoctorDocumentPaths {
  licenseFilePath: string;
  diplomaFilePath: string;
  /** null if a legacy service had none. A registration here always has one. */
  certificationFilePath: string | null;
}

/** A doctor's profile. It has the id of the account, so an account can never have two. */
export interface DoctorProfile extends DoctorProfileTexts, DoctorDocumentPaths {
  _id: string;
  createdAt: Date;
}

export type DoctorProfileModel = Model<DoctorProfile>;

const required = { type: String, required: true };
const optional = { type: String, default: null };

const each = <T>(names: readonly ProfileTextName[], definition: T) =>
  Object.fromEntries(names.map((name) => [name, definition])) as Record<ProfileTextName, T>;

const doctorProfileSchema = new Schema<DoctorProfile>(
  {
    _id: required,
    ...each(REQUIRED_TEXTS, required),
    licenseFilePath: required,
    diplomaFilePath: required,
    certificationFilePath: optional,
    ...each(OPTIONAL_TEXTS, optional),
    createdAt: { type: Date, required: true },
  },
  { collection: 'doctor_profiles', versionKey: false },
);
// The sweep looks for each document in the profiles.
doctorProfileSchema.index({ licenseFilePath: 1 });
doctorProfileSchema.index({ diplomaFilePath: 1 });
doctorProfileSchema.index({ certificationFilePath: 1 });

/** The collection of profiles of a connection. */
export const doctorProfileModel = (connection: Connection): DoctorProfileModel =>
  connection.model<DoctorProfile>('DoctorProfile', doctorProfileSchema);
