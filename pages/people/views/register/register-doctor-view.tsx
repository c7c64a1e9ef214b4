import { useAuth } from '@auth-gateway/client/react';
import { Fieldset } from '../../form/fieldset.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { OPTIONAL_TEXTS, optionalTexts } from '../../ui/profile-texts.ts';
import {
  accountLabels,
  DOCUMENT_CHECKS,
  documentLabels,
  NO_ACCOUNT,
  NO_DOCUMENTS,
} from '../account-fields.ts';
import { DocumentFields } from '../document-fields.tsx';
import { AccountFields, PhoneField } from './account-fields.tsx';

const NOTHING = {
  ...NO_ACCOUNT,
  phone: '',
  specialization: '',
  licenseNumber: '',
  ...NO_DOCUMENTS,
  ...optionalTexts(() => ''),
};

export function RegisterDoctorView() {
  const client = useAuth();
  const texts = useTexts();
  const { fields, register } = texts;
  const form = useForm({
    labels: {
      ...accountLabels(texts),
      phone: fields.phone,
      specialization: fields.specialization,
      licenseNumber: fields.licenseNumber,
      ...documentLabels(texts),
      ...optionalTexts((name) => fields[name]),
    },
    initial: NOTHING,
    checks: DOCUMENT_CHECKS,
    send: (doctor, options) => client.registerDoctor(doctor, options),
    done: ({ account }) => announce((present) => present.register.doctorReady(account.name)),
  });
  return (
    <Form form={form} submitText={register.submit}>
      <Fieldset title={register.account}>
        <AccountFields form={form} />
        <PhoneField field={form.field('phone')} />
      </Fieldset>
      <Fieldset title={register.license}>
        <TextField field={form.field('specialization')} />
        <TextField field={form.field('licenseNumber')} />
      </Fieldset>
      <DocumentFields form={form} />
      <Fieldset title={register.more}>
        {OPTIONAL_TEXTS.map(({ name, isLong }) => (
          <TextField key={name} field={form.field(name)} isOptional isLong={isLong} />
        ))}
      </Fieldset>
    </Form>
  );
}
