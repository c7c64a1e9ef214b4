import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { hasEnded } from '../../session/leave.ts';
import { DOCUMENT_LABELS, NO_DOCUMENTS } from '../account-fields.ts';
import { DocumentFields } from '../document-fields.tsx';

interface Properties {
  arrived(): void;
}

/** Sends the three documents of a rejected doctor again. */
export function Resubmission({ arrived }: Properties) {
  const client = useAuth();
  const form = useForm({
    labels: DOCUMENT_LABELS,
    initial: NO_DOCUMENTS,
    send: (documents, options) => client.resubmitDocuments(documents, options),
    done: arrived,
    handles: hasEnded,
  });
  return (
    <Form form={form} submitText="Send the documents again">
      <DocumentFields form={form} />
    </Form>
  );
}
