import { de } from './de.ts';
import { en, type MailTexts } from './en.ts';

/** The languages of mails, by the name that accounts and MAIL_LANGUAGE have for each. */
const TEXTS = { en, de };

/** A language that mails can have. */
export type MailLanguage = keyof typeof TEXTS;

export const MAIL_LANGUAGES = Object.keys(TEXTS) as MailLanguage[];

/**
 * The texts in the language of a reader.
 * @param language as it is stored: accounts of earlier versions have none, and another release may know more languages
 * @param fallback MAIL_LANGUAGE
 */
export function textsIn(language: string | null | undefined, fallback: MailLanguage): MailTexts {
  return TEXTS[MAIL_LANGUAGES.find((known) => known === language) ?? fallback];
}

/**
 * Puts values in the place of `{name}`. It does so once: a value with braces stays as it is.
 * @param values by name; one that is missing is empty
 */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

/**
 * The last day before a moment, in words.
 * @param end in the form of ISO 8601: the end of a day in the zone
 * @param timeZone a name of the IANA
 */
export const lastDay = ({ dates }: MailTexts, end: string | undefined, timeZone: string): string =>
  end === undefined
    ? ''
    : new Date(Date.parse(end) - 1).toLocaleDateString(dates, { dateStyle: 'long', timeZone });

/**
 * A time as a part of a sentence, with the name of its zone.
 * @param time in the form of ISO 8601
 * @param timeZone a name of the IANA
 * @returns an empty text for a time that is unknown
 */
export function onTime({ on, dates }: MailTexts, time: string | undefined, timeZone: string): string {
  const moment = new Date(time ?? Number.NaN);
  if (Number.isNaN(moment.getTime())) {
    return '';
  }
  const clock = (timeZoneName: 'short' | 'long') =>
    moment.toLocaleTimeString(dates, { hour: '2-digit', minute: '2-digit', timeZoneName, timeZone });
  const short = clock('short');
  return fill(on, {
    date: moment.toLocaleDateString(dates, { dateStyle: 'long', timeZone }),
    // Of a zone without a short name in the language it is only an offset.
    time: /GMT[+-]/.test(short) ? clock('long') : short,
  });
}
