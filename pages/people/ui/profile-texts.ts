import type { DoctorFields } from '@auth-gateway/client';

type OptionalTextName = Exclude<
  { [name in keyof DoctorFields]-?: undefined extends DoctorFields[name] ? name : never }[keyof DoctorFields],
  'invitation'
>;

/** Which of them have several lines. */
const IS_LONG: Record<OptionalTextName, boolean> = {
  currentInstitution: false,
  practiceAddress: true,
  workHistory: true,
  publications: true,
};

const entries = Object.entries(IS_LONG) as [OptionalTextName, boolean][];

/** The optional texts of a doctor's profile, in the order in which the pages show them. */
export const OPTIONAL_TEXTS = entries.map(([name, isLong]) => ({ name, isLong }));

/** Makes a value of each optional text, by name. */
export const optionalTexts = <T>(make: (name: OptionalTextName) => T): Record<OptionalTextName, T> =>
  Object.fromEntries(OPTIONAL_TEXTS.map(({ name }) => [name, make(name)])) as Record<OptionalTextName, T>;
