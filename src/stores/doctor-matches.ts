import { hash } from 'node:crypto';
import { newId } from './account-record.ts';
import { changeOf } from './bulk-records.ts';
import { type DoctorProfile, shownDocumentsOf } from './doctor-profile-record.ts';

/*
 * What two doctors may have in common: the license number, and the content of a document. The fields that find it follow from the other
 * fields of a profile and from the known hashes. An undefined one is not stored, so that its sparse index has only who can be found by it.
 */

/** A longer license number is compared by its beginning. */
const MAX_CHARACTERS = 255;

/**
 * The digest of what is equal in two spellings of a license number: without blanks, punctuation and case, in the form NFKC (UAX #15).
 * @returns undefined for a text without a digit, such as `n/a`: it is no number
 */
function licenseKeyOf(licenseNumber: unknown): string | undefined {
  const text = typeof licenseNumber === 'string' ? licenseNumber.slice(0, MAX_CHARACTERS) : '';
  // Upper case first: it turns ß into SS.
  const folded = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  const key = folded.replace(/[^\p{L}\p{M}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '');
  return /\p{Nd}/u.test(key) ? hash('sha256', key, 'base64url') : undefined;
}

/** The fields by which others find a profile. */
export function matchedFieldsOf({ documentHashes: known = [], ...profile }: Partial<DoctorProfile>) {
  const numbers = [profile.licenseNumber, profile.proposal?.licenseNumber];
  const licenseKeys = [...new Set(numbers.map(licenseKeyOf))].filter((key) => key !== undefined);
  const paths = shownDocumentsOf(profile);
  const documentHashes = paths.flatMap((path) => known.find((one) => one.path === path) ?? []);
  return {
    licenseKeys: licenseKeys.length > 0 ? licenseKeys : undefined,
    documentHashes: documentHashes.length > 0 ? documentHashes : undefined,
    unhashed: documentHashes.length < paths.length ? newId() : undefined,
  };
}

/** The update that makes a profile another. It has all hashes: the sweep may have added some since. */
export const matchedChange = (before: DoctorProfile, after: DoctorProfile) =>
  changeOf({ ...before, documentHashes: [] }, { ...after, ...matchedFieldsOf(after) }).update;

/** What two doctors have in common. */
export function inCommon(one: DoctorProfile, other: DoctorProfile) {
  const hashes = one.documentHashes?.map(({ sha256 }) => sha256);
  return {
    hasSameLicenseNumber: other.licenseKeys?.some((key) => one.licenseKeys?.includes(key)) ?? false,
    hasSameDocument: other.documentHashes?.some(({ sha256 }) => hashes?.includes(sha256)) ?? false,
  };
}
