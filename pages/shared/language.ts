const LANGUAGES = ['en', 'de'] as const;
type Language = (typeof LANGUAGES)[number];

/** The first language of the browser that the pages for reviewers have. */
export const readersLanguage = (): Language =>
  navigator.languages
    .map((tag) => LANGUAGES.find((language) => language === tag.split('-')[0]))
    .find((language) => language !== undefined) ?? 'en';
