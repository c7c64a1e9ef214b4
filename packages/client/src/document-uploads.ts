import { type OpenedDocument, openDocument } from './documents.ts';
import type { Files } from './request.ts';
import { failed, type Result } from './results.ts';
import type { DoctorDocuments, DocumentField } from './types.ts';

/** The documents in the JSON of an upload: null for each. The map of the form puts the files there. */
export const NO_DOCUMENTS = { licenseFile: null, diplomaFile: null, certificationFile: null } as const;

/** Opens all given documents. One error reports all that cannot be opened. */
export async function openDocuments(
  documents: Partial<DoctorDocuments>,
): Promise<Result<Files, DocumentField>> {
  const { licenseFile, diplomaFile, certificationFile } = documents;
  const files: Record<string, OpenedDocument> = {};
  const problems: Record<string, string[]> = {};
  for (const [field, source] of Object.entries({ licenseFile, diplomaFile, certificationFile })) {
    // JavaScript callers may leave out one that was not chosen.
    if (source === null || source === undefined) {
      continue;
    }
    const opened = await openDocument(source);
    if ('problem' in opened) {
      problems[field] = [opened.problem];
    } else {
      files[field] = opened;
    }
  }
  const [message] = Object.values(problems).flat();
  if (message === undefined) {
    return { ok: true, data: files };
  }
  return failed({ code: 'FILE_NOT_READABLE', message, fields: problems });
}
