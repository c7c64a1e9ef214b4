import type { DoctorFields } from '@auth-gateway/client';

type OptionalTextName = {
  [name in keyof DoctorFields]-?: undefined extends DoctorFields[name] ? name : never;
}[keyof DoctorFields];

interface ProfileText {
  label: string;
  isLong?: true;
}

/** The optional texts of a doctor's profile, in the order in which the pages show them. */
const TEXTS: Record<OptionalTextName, ProfileText> = {
  currentInstitution: { label: 'Current institution' },
  practiceAddress: { label: 'Practice address' },
  workHistory: { label: 'Work history', isLong: true },
  publications: { label: 'Publications', isLong: true },
};

const entries = Object.entries(TEXTS) as [OptionalTextName, ProfileText][];

/** Makes a value of each optional text, by name. */
export const eachOptionalText = <T>(
  make: (name: OptionalTextName, text: ProfileText) => T,
): Record<OptionalTextName, T> =>
  Object.fromEntries(entries.map(([name, text]) => [name, make(name, text)])) as Record<OptionalTextName, T>;
