import { checkDocument } from '../form/check-document.ts';

/** The choice of where the token is kept. */
export const STAY = { label: 'Stay logged in on this device', hint: 'Only on a device of your own' };

/** The labels of what doctors and patients have in common, in the order of their fields. */
export const ACCOUNT_LABELS = { name: 'Full name', email: 'E-mail', password: 'Password' };

export const NO_ACCOUNT = { name: '', email: '', password: '' };

/** The labels of what a verified doctor can only propose. */
export const REVIEWED_LABELS = {
  name: ACCOUNT_LABELS.name,
  specialization: 'Specialization',
  licenseNumber: 'License number',
};

/** The labels of the three documents of a doctor. */
export const DOCUMENT_LABELS = {
  licenseFile: 'License',
  diplomaFile: 'Diploma',
  certificationFile: 'Certification',
};

type Documents = { [Field in keyof typeof DOCUMENT_LABELS]: File | null };

export const DOCUMENT_CHECKS = {
  licenseFile: checkDocument,
  diplomaFile: checkDocument,
  certificationFile: checkDocument,
};

export const NO_DOCUMENTS: Documents = { licenseFile: null, diplomaFile: null, certificationFile: null };
