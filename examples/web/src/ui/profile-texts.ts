import type { DoctorFields } from '@auth-gateway/client';

type OptionalTextName = {
  [name in keyof DoctorFields]-?: undefined extends DoctorFields[name] ? name : never;
}[keyof DoctorFields];

interface ProfileText {
  label: string;
  isLong: boolean;
}

const TEXTS: Record<OptionalTextName, ProfileText> = {
  currentInstitution: { label: 'Current institution', isLong: false },
  practiceAddress: { label: 'Practice address', isLong: true },
  workHistory: { label: 'Work history', isLong: true },
  publications: { label: 'Publications', isLong: true },
};

const entries = Object.entries(TEXTS) as [OptionalTextName, ProfileText][];

/** The optional texts of a doctor's profile, in the order in which the pages show them. */
export const OPTIONAL_TEXTS = entries.map(([name, text]) => ({ name, ...text }));

/** Makes a value of each optional text, by name. */
export const optionalTexts = <T>(
  make: (text: ProfileText & { name: OptionalTextName }) => T,
): Record<OptionalTextName, T> =>
  Object.fromEntries(OPTIONAL_TEXTS.map((text) => [text.name, make(text)])) as Record<OptionalTextName, T>;
