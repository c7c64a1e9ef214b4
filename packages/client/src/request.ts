import type { NamedBlob } from './documents.ts';

/** Visible ASCII, as RFC 9110 section 5.5 wants it in a header. Whatever else is kept as a token is none. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The header of RFC 6750 section 2.1; without a token that could be one, the gateway says `UNAUTHENTICATED`. */
export const bearer = (token: string | null): Record<string, string> =>
  token !== null && SENDABLE.test(token) ? { Authorization: `Bearer ${token}` } : {};

/** The fields of a variable `input` that are files. */
export type Files = Readonly<Record<string, NamedBlob>>;

/**
 * An operation as a body: JSON, or with files a form as in
 * https://github.com/jaydenseric/graphql-multipart-request-spec (operations, then map, then the files).
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
  for (const [field, { content, name }] of entries) {
    form.append(field, content, name);
  }
  // A page of another site cannot send this header unasked; the gateway takes no form without it.
  return { headers: { 'Apollo-Require-Preflight': 'true' }, body: form };
}
