import { Field } from 'type-graphql';
import { DOCUMENT_PLACES } from '../../auth/doctor-documents.ts';
import { LINE_MAX_CHARACTERS, LINES_MAX_CHARACTERS } from '../../auth/text-rules.ts';
import { PROFILE_TEXTS, type ProfileTextName } from '../../stores/doctor-profile-record.ts';
import { all, DocumentFile, Line, Lines, Optional, Required } from './field-rules.ts';
import { Upload } from './upload.scalar.ts';

/**
 * A class decorator that adds texts of the profile to an input class, after its existing fields.
 * @param presence `optional`: also those that a profile must have
 */
export const ProfileTexts =
  (names: readonly ProfileTextName[], presence?: 'optional'): ClassDecorator =>
  ({ prototype }) => {
    for (const name of names) {
      profileText(name, presence === undefined && PROFILE_TEXTS[name].isRequired)(prototype, name);
    }
  };

const KINDS = {
  line: { maxCharacters: LINE_MAX_CHARACTERS, rule: Line },
  lines: { maxCharacters: LINES_MAX_CHARACTERS, rule: Lines },
} as const;

/** A text of the profile as a field of an input class, with its rules. */
function profileText(name: ProfileTextName, isRequired: boolean): PropertyDecorator {
  const { kind, description } = PROFILE_TEXTS[name];
  const { maxCharacters, rule } = KINDS[kind];
  const limit = `up to ${inThousands(maxCharacters)} characters`;
  return all(
    Field(() => String, { nullable: !isRequired, description: `${description}, ${limit}.` }),
    isRequired ? Required() : Optional(),
    rule(),
  );
}

/** With commas between thousands. `toLocaleString` would load tables of languages, which takes 10 ms of every start. */
const inThousands = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Class decorators that add a doctor's three documents to an input class, after its existing fields. */
const documentFields =
  (isRequired: boolean): ClassDecorator =>
  ({ prototype }) => {
    for (const [document, { field }] of Object.entries(DOCUMENT_PLACES)) {
      const description = `The ${document}, as a document or picture of up to 10 MiB.`;
      all(
        Field(() => Upload, { description, nullable: !isRequired }),
        isRequired ? Required() : Optional(),
        DocumentFile(),
      )(prototype, field);
    }
  };

export const DocumentFields = documentFields(true);
export const OptionalDocumentFields = documentFields(false);
