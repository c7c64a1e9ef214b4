import { Field } from 'type-graphql';
import { DocumentFile, Required } from './field-rules.ts';
import { all } from './input-rules.ts';
import { Upload } from './upload.scalar.ts';

const DOCUMENTS = { licenseFile: 'license', diplomaFile: 'diploma', certificationFile: 'certification' };

/** A class decorator that adds a doctor's three documents to an input class, after its existing fields. */
export const DocumentFields: ClassDecorator = ({ prototype }) => {
  for (const [name, document] of Object.entries(DOCUMENTS)) {
    const description = `The ${document}, as a document or picture of up to 10 MiB.`;
    all(
      Field(() => Upload, { description }),
      Required(),
      DocumentFile(),
    )(prototype, name);
  }
};
