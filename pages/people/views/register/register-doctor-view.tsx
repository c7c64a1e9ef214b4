import { useAuth } from '@auth-gateway/client/react';
import { Fieldset } from '../../form/fieldset.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import type { Route } from '../../navigation/route.ts';
import { OPTIONAL_TEXTS, optionalTexts } from '../../ui/profile-texts.ts';
import { accountLabels, DOCUMENT_CHECKS, documentLabels, NO_DOCUMENTS } from '../account-fields.ts';
import { DocumentFields } from '../document-fields.tsx';
import { AccountFields, type AccountValues, PhoneField } from './account-fields.tsx';
import { Invited } from './invited.tsx';

const NOTHING = {
  phone: '',
  specialization: '',
  licenseNumber: '',
  ...NO_DOCUMENTS,
  ...optionalTexts(() => ''),
};

export const RegisterDoctorView = ({ route }: { route: Route }) => (
  <Invited place="/register/doctor" route={route}>
    {(account) => <DoctorForm account={account} />}
  </Invited>
);

function DoctorForm({ account: invited }: { account: AccountValues }) {
  const client = useAuth();
  const texts = useTexts();
  const { fields, register } = texts;
  const form = useForm({
    labels: {
      ...accountLabels(texts),
      invitation: fields.invitation,
      phone: fields.phone,
      specialization: fields.specialization,
      licenseNumber: fields.licenseNumber,
      ...documentLabels(texts),
      ...optionalTexts((name) => fields[name]),
    },
    initial: { ...NOTHING, ...invited },
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
