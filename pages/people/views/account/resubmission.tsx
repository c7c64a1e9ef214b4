import type { DoctorDocument } from '@auth-gateway/client';
import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { hasEnded } from '../../session/leave.ts';
import { DOCUMENT_CHECKS, documentLabels, NO_DOCUMENTS } from '../account-fields.ts';
import { DocumentFields } from '../document-fields.tsx';

interface Properties {
  /** Those that the rejection asks for. */
  asked: readonly DoctorDocument[];
  arrived(): void;
}

const FIELDS = {
  LICENSE: 'licenseFile',
  DIPLOMA: 'diplomaFile',
  CERTIFICATION: 'certificationFile',
} as const;

/** Sends documents of a rejected doctor again. The others stay as they are. */
export function Resubmission({ asked, arrived }: Properties) {
  const client = useAuth();
  const texts = useTexts();
  const form = useForm({
    labels: documentLabels(texts),
    initial: NO_DOCUMENTS,
    checks: DOCUMENT_CHECKS,
    send: (documents, options) => client.resubmitDocuments(documents, options),
    done: arrived,
    handles: hasEnded,
  });
  return (
    <Form form={form} submitText={texts.resubmission.submit}>
      <DocumentFields form={form} names={asked.map((document) => FIELDS[document])} />
    </Form>
  );
}
