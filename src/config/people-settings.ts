import type { SettingsReader } from './settings-reader.ts';

const PEOPLE_URL = 'PEOPLE_URL';
const RETURN_URL = 'PEOPLE_RETURN_URL';

/** The address of the pages where people sign up, log in and look after their account. */
export interface PeoplePages {
  /** Without a slash at the end. */
  url: string;
  origin: string;
  /** PEOPLE_RETURN_URL: the application that people go back to, for a link; undefined without one. */
  returnUrl: string | undefined;
  /** True if PEOPLE_URL is set; false for the default of development. */
  isChosen: boolean;
}

/**
 * The address of the gateway, before it listens.
 * @param port PORT. With 0, nobody knows the address before the start
 */
export const localUrl = ({
  baseUrl,
  port,
}: {
  baseUrl: string | undefined;
  port: number;
}): string | undefined => baseUrl ?? (port === 0 ? undefined : `http://localhost:${port}`);

/**
 * Reads PEOPLE_URL and PEOPLE_RETURN_URL. The default of development has the name localhost, because no browser has passkeys for an address of numbers.
 * @param baseUrl BASE_URL
 * @param port PORT. With 0, nobody knows the address before the start: then there is no default
 * @returns undefined if there are no such pages
 */
export function readPeople(
  read: SettingsReader,
  { mode, baseUrl, port }: { mode: string; baseUrl: string | undefined; port: number },
): PeoplePages | undefined {
  const chosen = read.httpUrl(PEOPLE_URL);
  const returnUrl = readReturnUrl(read);
  const base = localUrl({ baseUrl, port });
  const url = chosen ?? (mode === 'development' && base !== undefined ? `${base}/people` : undefined);
  if (url === undefined) {
    if (returnUrl !== undefined) {
      read.problem(RETURN_URL, `needs ${PEOPLE_URL}`);
    }
    return undefined;
  }
  return { url, origin: new URL(url).origin, returnUrl, isChosen: chosen !== undefined };
}

/** An address with any path, query and fragment, but no other scheme than http and https: a link to `javascript:` would run. */
function readReturnUrl(read: SettingsReader): string | undefined {
  const text = read.text(RETURN_URL, '');
  if (text === '') {
    return undefined;
  }
  const url = /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url && !url.username && !url.password) {
    return url.href;
  }
  read.problem(RETURN_URL, 'must be an absolute http or https address');
  return undefined;
}

/** The link to one of these pages that takes the token of a mail (`pages/people/navigation/route.ts`). */
export const peopleLink = ({ url }: PeoplePages, page: 'reset' | 'confirm' | 'register/{role}'): string =>
  `${url}#/${page}?token={token}`;
