import type { ReactNode } from 'react';

/*
 * Texts that other people chose: names, reasons, user agents. React escapes them; here they cannot change the direction of the text around
 * them, and what is invisible is shown. No link is made of them.
 */

/** Control characters, and those that are invisible or change the direction of a text (Unicode UAX #9). */
const HIDDEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
const PARTS = new RegExp(`(${HIDDEN.source})`, 'u');

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A stored text. */
export const Text = ({ children }: { children: string }) => (
  <bdi>
    {HIDDEN.test(children)
      ? children.split(PARTS).map((part, index) =>
          HIDDEN.test(part) ? (
            <mark key={index} className="hidden-character">
              {codeOf(part)}
            </mark>
          ) : (
            part
          ),
        )
      : children}
  </bdi>
);

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time of the API, in the zone of the reader. */
export const Time = ({ iso }: { iso: string }) => <time dateTime={iso}>{TIME.format(new Date(iso))}</time>;

/** A value that may be absent. */
export const orNone = (value: ReactNode, none = '–'): ReactNode =>
  value === null || value === undefined || value === '' ? none : value;
