import { DocumentField } from '../form/document-field.tsx';
import { Fieldset } from '../form/fieldset.tsx';
import type { FieldProps } from '../form/use-form.ts';
import type { DOCUMENT_LABELS } from './account-fields.ts';

/** A form that has at least the three documents of a doctor. */
interface DocumentsForm {
  field(name: keyof typeof DOCUMENT_LABELS): FieldProps<File | null>;
}

/** The three documents of a doctor. */
export const DocumentFields = ({ form }: { form: DocumentsForm }) => (
  <Fieldset title="Your documents">
    <DocumentField field={form.field('licenseFile')} />
    <DocumentField field={form.field('diplomaFile')} />
    <DocumentField field={form.field('certificationFile')} />
  </Fieldset>
);
