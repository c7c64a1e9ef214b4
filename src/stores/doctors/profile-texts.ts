/** One text of a doctor's profile. */
interface ProfileText {
  isRequired: boolean;
  /** A single line of up to 255 characters, or lines of up to 5,000. */
  kind: 'line' | 'lines';
  /** For readers of the API: a sentence without its full stop. */
  description: string;
}

/**
 * The texts of a doctor's profile (docs/contract.md), in the order in which both APIs show them. The stored record, the
 * input of both APIs, its rules, and the answers are made from this list.
 */
export const PROFILE_TEXTS = {
  specialization: { isRequired: true, kind: 'line', description: 'The field of medicine' },
  licenseNumber: { isRequired: true, kind: 'line', description: 'The number of the license' },
  currentInstitution: { isRequired: false, kind: 'line', description: 'Where the doctor works now' },
  workHistory: { isRequired: false, kind: 'lines', description: 'Where the doctor worked before' },
  publications: { isRequired: false, kind: 'lines', description: 'What the doctor published' },
  practiceAddress: { isRequired: false, kind: 'lines', description: 'Where patients are seen' },
} as const satisfies Record<string, ProfileText>;

type ProfileTexts = typeof PROFILE_TEXTS;
export type ProfileTextName = keyof ProfileTexts;

/** The value of each text; null where an optional one was not given. */
export type DoctorProfileTexts = {
  [name in ProfileTextName]: ProfileTexts[name]['isRequired'] extends true ? string : string | null;
};

const NAMES = Object.keys(PROFILE_TEXTS) as ProfileTextName[];

/** The names of the texts that a profile must have. */
export const REQUIRED_TEXTS = NAMES.filter((name) => PROFILE_TEXTS[name].isRequired);

/** The names of the texts that a profile may lack. */
export const OPTIONAL_TEXTS = NAMES.filter((name) => !PROFILE_TEXTS[name].isRequired);

/**
 * The texts of a profile without the other fields of the record.
 * @param record a stored profile or a checked input: it has all required texts
 */
export const textsOf = (record: object): DoctorProfileTexts =>
  Object.fromEntries(NAMES.map((name) => [name, Reflect.get(record, name) ?? null])) as DoctorProfileTexts;

/** Some texts of a profile, in the order of their names. */
export const someTextsOf = <N extends ProfileTextName>(texts: DoctorProfileTexts, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, texts[name] ?? null])) as Pick<DoctorProfileTexts, N>;
