import { type Connection, type Model, Schema } from 'mongoose';

/** The texts of a doctor's profile (docs/contract.md, "Doctor profile"); null where nothing was given. */
export interface DoctorProfileTexts {
  specialization: string;
  licenseNumber: string;
  currentInstitution: string | null;
  workHistory: string | null;
  publications: string | null;
  practiceAddress: string | null;
}

/** Where the three documents are kept: `<group>/<name>`, never a URL, so that BASE_URL may change. */
export interface DoctorDocumentPaths {
  licenseFilePath: string;
  diplomaFilePath: string;
  /** null where a legacy service had none; a registration here always has one. */
  certificationFilePath: string | null;
}

/** A doctor's profile, linked to the account by sharing its id: one account can never have two. */
export interface DoctorProfile extends DoctorProfileTexts, DoctorDocumentPaths {
  _id: string;
  createdAt: Date;
}

export type DoctorProfileModel = Model<DoctorProfile>;

const required = { type: String, required: true };
const optional = { type: String, default: null };

const doctorProfileSchema = new Schema<DoctorProfile>(
  {
    _id: { type: String, required: true },
    specialization: required,
    licenseNumber: required,
    licenseFilePath: required,
    diplomaFilePath: required,
    certificationFilePath: optional,
    currentInstitution: optional,
    workHistory: optional,
    publications: optional,
    practiceAddress: optional,
    createdAt: { type: Date, required: true },
  },
  { collection: 'doctor_profiles', versionKey: false },
);
// The sweep asks for every document whether a profile has it.
doctorProfileSchema.index({ licenseFilePath: 1 });
doctorProfileSchema.index({ diplomaFilePath: 1 });
doctorProfileSchema.index({ certificationFilePath: 1 });

/** The profile collection of a connection. */
export const doctorProfileModel = (connection: Connection): DoctorProfileModel =>
  connection.model<DoctorProfile>('DoctorProfile', doctorProfileSchema);
