import { CheckField } from '../../form/check-field.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
import { accountLabels, NO_ACCOUNT } from '../account-fields.ts';
import { AccountFields, PhoneField } from './account-fields.tsx';

export function RegisterPatientView() {
  const enter = useEnter();
  const texts = useTexts();
  const { fields, hints, register } = texts;
  const form = useForm({
    labels: {
      ...accountLabels(texts),
      phone: fields.phone,
      dateOfBirth: fields.dateOfBirth,
      staysLoggedIn: fields.staysLoggedIn,
    },
    initial: { ...NO_ACCOUNT, phone: '', dateOfBirth: '', staysLoggedIn: false },
    send: ({ staysLoggedIn, ...patient }, { signal }) =>
      enter(staysLoggedIn, (client) => client.registerPatient(patient, { signal })),
    done: ({ account }) => announce((present) => present.register.patientReady(account.name)),
  });
  return (
    <Form form={form} submitText={register.submit}>
      <AccountFields form={form} />
      <PhoneField field={form.field('phone')} isOptional />
      <TextField field={form.field('dateOfBirth')} type="date" autoComplete="bday" isOptional />
      <CheckField field={form.field('staysLoggedIn')} hint={hints.staysLoggedIn} />
    </Form>
  );
}
