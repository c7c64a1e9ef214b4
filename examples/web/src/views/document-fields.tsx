import { DocumentField } from '../form/document-field.tsx';
import { Fieldset } from '../form/fieldset.tsx';
import type { FieldProps } from '../form/use-form.ts';
import type { DOCUMENT_LABELS } from './account-fields.ts';

/** A form that has at least the three documents of a doctor. */
interface DocumentsForm {
  field(name: keyof typeof DOCUMENT_LABELS): FieldProps<File | null>;
}

interface Properties {
  form: DocumentsForm;
  names?: readonly (keyof typeof DOCUMENT_LABELS)[];
}

/** Documents of a doctor, by default all three. */
export const DocumentFields = ({ form, names = ALL }: Properties) => (
  <Fieldset title="Your documents">
    {names.map((name) => (
      <DocumentField key={name} field={form.field(name)} />
    ))}
  </Fieldset>
);

const ALL = ['licenseFile', 'diplomaFile', 'certificationFile'] as const;
