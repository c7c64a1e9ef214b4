/** The choice of where the token is kept. */
export const STAY = { label: 'Stay logged in on this device', hint: 'Only on a device of your own' };

/** The labels of what doctors and patients have in common, in the order of their fields. */
export const ACCOUNT_LABELS = { name: 'Full name', email: 'E-mail', password: 'Password' };

export const NO_ACCOUNT = { name: '', email: '', password: '' };

/** The labels of the three documents of a doctor. */
export const DOCUMENT_LABELS = {
  licenseFile: 'License',
  diplomaFile: 'Diploma',
  certificationFile: 'Certification',
};

type Documents = { [Field in keyof typeof DOCUMENT_LABELS]: File | null };

export const NO_DOCUMENTS: Documents = { licenseFile: null, diplomaFile: null, certificationFile: null };
