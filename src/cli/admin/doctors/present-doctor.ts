import type { ReviewedDoctor } from '../../../auth/reviews/reviewed-doctor.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS } from '../../../stores/doctor-profile-record.ts';
import { type DoctorDocumentPaths, verificationOf } from '../../../stores/doctors.ts';
import type { Line } from '../../print.ts';
import { shown } from '../command.ts';

/** One line of a list of doctors. */
export function presentDoctorInLine({ account, profile, revision, submittedAt }: ReviewedDoctor): Line {
  const { id, email, name } = account;
  const { status } = verificationOf(profile);
  const { specialization } = profile;
  const text = [
    id,
    status,
    `revision ${revision}`,
    `submitted ${shown(submittedAt, 'unknown')}`,
    email,
    name,
    specialization,
  ].join('  ');
  return { text, json: { id, name, email, specialization, status, revision, submittedAt } };
}

/** A doctor as a reviewer needs one: the account, the profile, the review and the documents. */
export function presentDoctor(
  { account, profile, revision, submittedAt }: ReviewedDoctor,
  urls: DocumentUrls,
): Line {
  const { id, name, email, phone, createdAt } = account;
  const { status, decidedAt, reason } = verificationOf(profile);
  const texts = Object.fromEntries(
    [...REQUIRED_TEXTS, ...OPTIONAL_TEXTS].map((field) => [field, profile[field] ?? null]),
  );
  const review = { status, decidedAt, reason, revision, submittedAt };
  const documents = urlsOf(profile, urls);
  const newDocuments = profile.resubmitted ? urlsOf(profile.resubmitted, urls) : null;
  const text = Object.entries({
    ...{ id, name, email, phone, createdAt, ...review, ...texts, ...documents },
    ...(newDocuments && prefixed('new', newDocuments)),
  }).flatMap(([field, value]) => linesOf(field, value));
  return {
    text,
    json: { id, name, email, phone, createdAt, ...review, ...texts, ...documents, newDocuments },
  };
}

const urlsOf = (paths: DoctorDocumentPaths, urls: DocumentUrls) => ({
  licenseFileUrl: urls.urlOf(paths.licenseFilePath),
  diplomaFileUrl: urls.urlOf(paths.diplomaFilePath),
  certificationUrl: urls.urlOf(paths.certificationFilePath ?? null),
});

const prefixed = (prefix: string, fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${prefix} ${field}`, value]));

const LABEL_CHARACTERS = 24;

/** A field with its name in words. A text of several lines stays one. */
function linesOf(field: string, value: unknown): string[] {
  const label = (field === 'email' ? 'e-mail' : field).replace(
    /[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  );
  const text = value instanceof Date ? shown(value, 'unknown') : String(value ?? '-');
  const [first = '', ...others] = text.split(/\r\n|\r|\n/);
  const blanks = ' '.repeat(LABEL_CHARACTERS);
  return [label.padEnd(LABEL_CHARACTERS) + first, ...others.map((line) => blanks + line)];
}
