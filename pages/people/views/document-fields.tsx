import { DocumentField } from '../form/document-field.tsx';
import { Fieldset } from '../form/fieldset.tsx';
import type { FieldProps } from '../form/use-form.ts';
import { useTexts } from '../language/language.ts';
import { DOCUMENTS, type DocumentName } from './account-fields.ts';

/** A form that has at least the three documents of a doctor. */
interface DocumentsForm {
  field(name: DocumentName): FieldProps<File | null>;
}

interface Properties {
  form: DocumentsForm;
  names?: readonly DocumentName[];
}

/** Documents of a doctor, by default all three. */
export const DocumentFields = ({ form, names = DOCUMENTS }: Properties) => (
  <Fieldset title={useTexts().register.documents}>
    {names.map((name) => (
      <DocumentField key={name} field={form.field(name)} />
    ))}
  </Fieldset>
);
