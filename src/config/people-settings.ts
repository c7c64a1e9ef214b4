import type { SettingsReader } from './settings-reader.ts';

const PEOPLE_URL = 'PEOPLE_URL';

/** The address of the pages where people sign up, log in and look after their account. */
export interface PeoplePages {
  /** Without a slash at the end. */
  url: string;
  /** True if PEOPLE_URL is set; false for the default of development. */
  isChosen: boolean;
}

/**
 * Reads PEOPLE_URL. The default of development has the name localhost, because no browser has passkeys for an address of numbers.
 * @param baseUrl BASE_URL
 * @param port PORT. With 0, nobody knows the address before the start: then there is no default
 * @returns undefined if there are no such pages
 */
export function readPeople(
  read: SettingsReader,
  { mode, baseUrl, port }: { mode: string; baseUrl: string | undefined; port: number },
): PeoplePages | undefined {
  const url = read.httpUrl(PEOPLE_URL);
  if (url !== undefined) {
    return { url, isChosen: true };
  }
  const base = baseUrl ?? (port === 0 ? undefined : `http://localhost:${port}`);
  return mode === 'development' && base !== undefined
    ? { url: `${base}/people`, isChosen: false }
    : undefined;
}

/** The link to one of these pages that takes the token of a mail (`pages/people/navigation/route.ts`). */
export const peopleLink = ({ url }: PeoplePages, page: 'reset' | 'confirm' | 'register/{role}'): string =>
  `${url}#/${page}?token={token}`;
