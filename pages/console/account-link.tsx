import type { ReactNode } from 'react';

/** The fragment of the address of a person's page, before the id. */
const ACCOUNT = '#/accounts/';

/** A link to the page of a person. */
export const AccountLink = ({ id, children }: { id: string; children: ReactNode }) => (
  <a href={`${ACCOUNT}${encodeURIComponent(id)}`}>{children}</a>
);

/**
 * The id of the person whose page has this fragment; undefined for any other page. What is not percent-encoded is an id as it stands:
 * nobody has it.
 */
export function accountIn(fragment: string): string | undefined {
  const encoded = fragment.startsWith(ACCOUNT) ? fragment.slice(ACCOUNT.length) : undefined;
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
