import { useSyncExternalStore } from 'react';
import { Store } from '../ui/store.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export type { Texts };

/** The languages of the page. The compiler refuses one that lacks a text. */
const LANGUAGES = { en, de };
export type Language = keyof typeof LANGUAGES;

/** The names of the languages, each in its own. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch' };

const STORAGE_KEY = 'language';

const isLanguage = (text: string | undefined): text is Language =>
  text !== undefined && Object.hasOwn(LANGUAGES, text);

/** What the person has chosen here, or the first language of the browser that the page has. */
const first = [localStorage.getItem(STORAGE_KEY) ?? '', ...navigator.languages]
  .map((tag) => tag.split('-')[0])
  .find(isLanguage);

const language = new Store<Language>(first ?? 'en');
const show = () => {
  document.documentElement.lang = language.get();
};
show();
language.subscribe(show);

/** The language that labels, errors, dates and sizes follow, and the `lang` of the page. */
export const useLanguage = (): Language => useSyncExternalStore(language.subscribe, language.get);

/** Shows the page in another language, now and at the next visit. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(STORAGE_KEY, chosen);
  language.set(chosen);
}

/** The texts for a component, which is shown anew when the language changes. */
export const useTexts = (): Texts => LANGUAGES[useLanguage()];

/** The language for `Intl`: that of the page, as the country of the browser writes it. */
const locale = (): string =>
  navigator.languages.find((tag) => tag.split('-')[0] === language.get()) ?? language.get();

/** A moment in words, such as `22 Nov 2026, 14:05`. @param iso a time of the gateway */
export const timeText = (iso: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));

/** A day in words, such as `22 November 2026`. @param iso a time or a day of the gateway */
export const dayText = (iso: string): string => {
  // A day has no time zone.
  const zone = iso.includes('T') ? {} : { timeZone: 'UTC' };
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'long', ...zone }).format(new Date(iso));
};

/** The last day before a moment, such as that on which a verification ends. @param iso a time of the gateway */
export const lastDayText = (iso: string): string => dayText(new Date(Date.parse(iso) - 1).toISOString());

/** A size, always in megabytes as the gateway counts them (1,048,576 bytes), such as `2.4 MB`. */
export function sizeText(bytes: number): string {
  const { size, smallSize } = LANGUAGES[language.get()];
  const megabytes = bytes / 1_048_576;
  const format = new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 });
  return megabytes < 0.1 ? smallSize : size(format.format(megabytes));
}
