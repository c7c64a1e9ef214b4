import { currentSession } from './session.ts';

/** A text of the pages for reviewers. The compiler refuses one that lacks a language. */
export type Bilingual = readonly [english: string, german: string];

/** The languages, each by its own name. */
const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
type Language = keyof typeof LANGUAGES;

const CHOICE = 'auth-gateway console language';

/**
 * The language of texts, errors and dates: what the reader has chosen here, or the first language of the browser that the pages have.
 * Those of operators are in English.
 */
export function language(): Language {
  if (currentSession()?.role === 'OPERATOR') {
    return 'en';
  }
  const wanted = [localStorage.getItem(CHOICE) ?? '', ...navigator.languages].map((tag) => tag.split('-')[0]);
  return wanted.find((tag): tag is Language => tag === 'en' || tag === 'de') ?? 'en';
}

/** A text in the language of the page. */
export const say = (...[english, german]: Bilingual): string => ({ en: english, de: german })[language()];

const LOCALES = { en: 'en-GB', de: 'de' };

/** A time in words, in the zone of the reader. */
export const timeText = (time: Date, style: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(LOCALES[language()], style).format(time);

/** Shows the page in the other language, now and at the next visit. */
export function LanguageButton() {
  const other = language() === 'en' ? 'de' : 'en';
  const choose = () => {
    localStorage.setItem(CHOICE, other);
    dispatchEvent(new Event('languagechange'));
  };
  return (
    <button type="button" lang={other} onClick={choose}>
      {LANGUAGES[other]}
    </button>
  );
}
