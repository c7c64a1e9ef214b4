import { useAuth } from '@auth-gateway/client/react';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import type { Route } from '../../navigation/route.ts';
import { accountLabels } from '../account-fields.ts';
import { AccountFields, type AccountValues, PhoneField } from './account-fields.tsx';
import { Invited } from './invited.tsx';

export const RegisterPatientView = ({ route }: { route: Route }) => (
  <Invited place="/register/patient" route={route}>
    {(account) => <PatientForm account={account} />}
  </Invited>
);

function PatientForm({ account: invited }: { account: AccountValues }) {
  const client = useAuth();
  const texts = useTexts();
  const { fields, register } = texts;
  const form = useForm({
    labels: {
      ...accountLabels(texts),
      invitation: fields.invitation,
      phone: fields.phone,
      dateOfBirth: fields.dateOfBirth,
    },
    initial: { ...invited, phone: '', dateOfBirth: '' },
    send: (patient, { signal }) => client.registerPatient(patient, { signal }),
    done: ({ account }) => announce((present) => present.register.patientReady(account.name)),
  });
  return (
    <Form form={form} submitText={register.submit}>
      <AccountFields form={form} />
      <PhoneField field={form.field('phone')} isOptional />
      <TextField field={form.field('dateOfBirth')} type="date" autoComplete="bday" isOptional />
    </Form>
  );
}
