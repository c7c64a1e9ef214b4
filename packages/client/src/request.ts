import type { OpenedDocument } from './documents.ts';

/** Visible ASCII, as RFC 9110 section 5.5 requires in a header. Any other text cannot be a token. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The header of RFC 6750 section 2.1. Without a possible token there is none, and the gateway answers `UNAUTHENTICATED`. */
export const bearer = (token: string | null): Record<string, string> =>
  token !== null && SENDABLE.test(token) ? { Authorization: `Bearer ${token}` } : {};

/** The files of a variable `input`, by field. */
export type Files = Readonly<Record<string, OpenedDocument>>;

/**
 * Encodes an operation as a body: JSON, or with files a form (operations, then map, then the files) as in
 * https://github.com/jaydenseric/graphql-multipart-request-spec.
 */
export function encode(query: string, variables: object, files: Files = {}) {
  const operation = JSON.stringify({ query, variables });
  const entries = Object.entries(files);
  if (entries.length === 0) {
    return { headers: { 'Content-Type': 'application/json' }, body: operation };
  }
  const form = new FormData();
  form.append('operations', operation);
  form.append(
    'map',
    JSON.stringify(Object.fromEntries(entries.map(([field]) => [field, [`variables.input.${field}`]]))),
  );
  for (const [field, file] of entries) {
    if ('native' in file) {
      // The types of browsers do not know React Native's FormData.
      form.append(field, file.native as unknown as Blob);
    } else {
      form.append(field, file.content, file.name);
    }
  }
  // A page of another site cannot send this header without a preflight, so the gateway requires it for forms.
  return { headers: { 'Apollo-Require-Preflight': 'true' }, body: form };
}
