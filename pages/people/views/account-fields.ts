import { checkDocument } from '../form/check-document.ts';
import type { Texts } from '../language/language.ts';

/** What doctors and patients have in common, in the order of the fields. */
export const NO_ACCOUNT = { name: '', email: '', password: '' };

export const accountLabels = ({ fields: { name, email, password } }: Texts) => ({ name, email, password });

/** What a verified doctor can only propose. */
export const REVIEWED = ['name', 'specialization', 'licenseNumber'] as const;

/** The three documents of a doctor. */
export const DOCUMENTS = ['licenseFile', 'diplomaFile', 'certificationFile'] as const;

export type DocumentName = (typeof DOCUMENTS)[number];

export const documentLabels = ({ fields }: Texts): Record<DocumentName, string> => ({
  licenseFile: fields.licenseFile,
  diplomaFile: fields.diplomaFile,
  certificationFile: fields.certificationFile,
});

export const DOCUMENT_CHECKS = {
  licenseFile: checkDocument,
  diplomaFile: checkDocument,
  certificationFile: checkDocument,
};

export const NO_DOCUMENTS: Record<DocumentName, File | null> = {
  licenseFile: null,
  diplomaFile: null,
  certificationFile: null,
};
