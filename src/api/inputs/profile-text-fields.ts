import { Field } from 'type-graphql';
import { LINE_MAX_CHARACTERS, LINES_MAX_CHARACTERS } from '../../auth/account-texts.ts';
import { PROFILE_TEXTS, type ProfileTextName } from '../../stores/doctor-profile-record.ts';
import { Line, Lines, Optional, Required } from './field-rules.ts';
import { all } from './input-rules.ts';

const KINDS = {
  line: { maxCharacters: LINE_MAX_CHARACTERS, rule: Line },
  lines: { maxCharacters: LINES_MAX_CHARACTERS, rule: Lines },
} as const;

/** With commas between thousands. `toLocaleString` would load tables of languages, which takes 10 ms of every start. */
const inThousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** A text of the profile as a field of an input class, with its rules. */
function profileText(name: ProfileTextName): PropertyDecorator {
  const { isRequired, kind, description } = PROFILE_TEXTS[name];
  const { maxCharacters, rule } = KINDS[kind];
  const limit = `up to ${inThousands(maxCharacters)} characters`;
  return all(
    Field(() => String, { nullable: !isRequired, description: `${description}, ${limit}.` }),
    isRequired ? Required() : Optional(),
    rule(),
  );
}

/** A class decorator that adds texts of the profile to an input class, after its existing fields. */
export const ProfileTexts =
  (names: readonly ProfileTextName[]): ClassDecorator =>
  ({ prototype }) => {
    for (const name of names) {
      profileText(name)(prototype, name);
    }
  };
