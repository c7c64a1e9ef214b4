import type { AuthError, BrokenRule, FieldErrors, Rule } from '@auth-gateway/client';
import { sizeText } from '../ui/size-text.ts';

type Texts = Partial<Record<Rule, (limit: string) => string>>;

const ofKibibytes = (limit: string): string => sizeText(Number(limit) * 1_024);

/** What this page says about a rule that a field breaks. The gateway's text is for all others. */
const TEXTS: Readonly<Record<'en' | 'de', Texts>> = {
  en: {
    required: () => 'Please fill this in.',
    string: () => 'Please write a text.',
    max_length: (limit) => `Please use at most ${limit} characters.`,
    min_length: (limit) => `Please use at least ${limit} characters.`,
    max_bytes: (limit) => `This is too long: at most ${limit} bytes.`,
    email: () => 'Please write an e-mail address, such as sam@example.org.',
    taken: () => 'Somebody has an account with this e-mail address already.',
    confirmed: () => 'The two passwords are not the same.',
    common: () => 'Many people use this password, so it is easy to guess. Please choose another one.',
    personal: () => 'Please choose a password without your name and your e-mail address.',
    date: () => 'Please write a day of the calendar.',
    too_early: (limit) => `Please write a day from ${limit} on.`,
    future: () => 'This day is still to come.',
    file: () => 'Please choose a file.',
    max_size: (limit) => `This file is too large: at most ${ofKibibytes(limit)}.`,
    file_type: (limit) => `Please choose a file of one of these types: ${limit}.`,
    same: () => 'This is what your account has already.',
  },
  de: {
    required: () => 'Bitte ausfüllen.',
    string: () => 'Bitte geben Sie einen Text ein.',
    max_length: (limit) => `Bitte höchstens ${limit} Zeichen.`,
    min_length: (limit) => `Bitte mindestens ${limit} Zeichen.`,
    max_bytes: (limit) => `Das ist zu lang: höchstens ${limit} Bytes.`,
    email: () => 'Bitte geben Sie eine E-Mail-Adresse ein, etwa sam@example.org.',
    taken: () => 'Es gibt schon ein Konto mit dieser E-Mail-Adresse.',
    confirmed: () => 'Die beiden Passwörter sind nicht gleich.',
    common: () =>
      'Dieses Passwort ist leicht zu erraten, weil es viele benutzen. Bitte wählen Sie ein anderes.',
    personal: () => 'Bitte wählen Sie ein Passwort ohne Ihren Namen und Ihre E-Mail-Adresse.',
    date: () => 'Bitte geben Sie einen Tag des Kalenders ein.',
    too_early: (limit) => `Bitte geben Sie einen Tag ab dem ${limit} ein.`,
    future: () => 'Dieser Tag liegt in der Zukunft.',
    file: () => 'Bitte wählen Sie eine Datei.',
    max_size: (limit) => `Diese Datei ist zu groß: höchstens ${ofKibibytes(limit)}.`,
    file_type: (limit) => `Bitte wählen Sie eine Datei dieser Arten: ${limit}.`,
    same: () => 'Das hat Ihr Konto schon.',
  },
};

export const ownText = ({ rule, limit = '' }: BrokenRule): string | undefined => {
  const texts = TEXTS[navigator.language.startsWith('de') ? 'de' : 'en'];
  return texts[rule]?.(typeof limit === 'object' ? limit.join(', ') : String(limit));
};

/** The texts about the fields of a form, by field, in the language of the browser. */
export function fieldTexts(error: AuthError<string>): FieldErrors<string> {
  if (error.code !== 'BAD_USER_INPUT') {
    return 'fields' in error ? error.fields : {};
  }
  const { fields, rules } = error;
  return Object.fromEntries(
    Object.entries(fields).map(([field, texts = []]) => [
      field,
      texts.map((text, at) => {
        const broken = rules[field]?.[at];
        return (broken && ownText(broken)) ?? text;
      }),
    ]),
  );
}
