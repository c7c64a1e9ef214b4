import type { ReactNode } from 'react';
import { timeText } from './language.tsx';

/*
 * Texts that other people chose: names, reasons, user agents. React escapes them; here they cannot change the direction of the text around
 * them, and what is invisible is shown. No link is made of them.
 */

/** Control characters, and those that are invisible or change the direction of a text (Unicode UAX #9). */
const HIDDEN = /([\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff])/u;
/** In a text of several lines, their ends and tabs are plain. */
const HIDDEN_IN_LINES = new RegExp(`(?!\\r\\n|[\\n\\t])${HIDDEN.source}`, 'u');

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A stored text. @param hasLines true if it may have several lines */
export const Text = ({ children, hasLines = false }: { children: string; hasLines?: boolean }) => (
  <bdi className={hasLines ? 'lines' : undefined}>
    {children.split(hasLines ? HIDDEN_IN_LINES : HIDDEN).map((part, index) =>
      index % 2 === 1 ? (
        <mark key={index} className="hidden-character">
          {codeOf(part)}
        </mark>
      ) : (
        part
      ),
    )}
  </bdi>
);

/** A time of the API. */
export const Time = ({ iso }: { iso: string }) => (
  <time dateTime={iso}>{timeText(new Date(iso), { dateStyle: 'medium', timeStyle: 'short' })}</time>
);

/** The last day before a time of the API. */
export const LastDay = ({ iso }: { iso: string }) => (
  <time dateTime={iso}>{timeText(new Date(Date.parse(iso) - 1), { dateStyle: 'medium' })}</time>
);

/** A value that may be absent. */
export const orNone = (value: ReactNode, none = '–'): ReactNode =>
  value === null || value === undefined || value === '' ? none : value;
