import { CheckField } from '../../form/check-field.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
import { ACCOUNT_LABELS, NO_ACCOUNT, STAY } from '../account-fields.ts';
import { AccountFields, PhoneField } from './account-fields.tsx';

export function RegisterPatientView() {
  const enter = useEnter();
  const form = useForm({
    labels: {
      ...ACCOUNT_LABELS,
      phone: 'Telephone',
      dateOfBirth: 'Date of birth',
      staysLoggedIn: STAY.label,
    },
    initial: { ...NO_ACCOUNT, phone: '', dateOfBirth: '', staysLoggedIn: false },
    send: ({ staysLoggedIn, ...patient }, { signal }) =>
      enter(staysLoggedIn, (client) => client.registerPatient(patient, { signal })),
    done: ({ account }) => announce(`Welcome, ${account.name}. Your account is ready.`),
  });
  return (
    <Form form={form} submitText="Register">
      <AccountFields form={form} />
      <PhoneField field={form.field('phone')} isOptional />
      <TextField field={form.field('dateOfBirth')} type="date" autoComplete="bday" isOptional />
      <CheckField field={form.field('staysLoggedIn')} hint={STAY.hint} />
    </Form>
  );
}
