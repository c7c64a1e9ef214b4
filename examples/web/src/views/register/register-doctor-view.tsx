import { CheckField } from '../../form/check-field.tsx';
import { Fieldset } from '../../form/fieldset.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { announce } from '../../navigation/notice.ts';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
import { OPTIONAL_TEXTS, optionalTexts } from '../../ui/profile-texts.ts';
import {
  ACCOUNT_LABELS,
  DOCUMENT_CHECKS,
  DOCUMENT_LABELS,
  NO_ACCOUNT,
  NO_DOCUMENTS,
  STAY,
} from '../account-fields.ts';
import { DocumentFields } from '../document-fields.tsx';
import { AccountFields, PhoneField } from './account-fields.tsx';

const LABELS = {
  ...ACCOUNT_LABELS,
  phone: 'Telephone',
  specialization: 'Specialization',
  licenseNumber: 'License number',
  ...DOCUMENT_LABELS,
  ...optionalTexts(({ label }) => label),
  staysLoggedIn: STAY.label,
};

const NOTHING = {
  ...NO_ACCOUNT,
  phone: '',
  specialization: '',
  licenseNumber: '',
  ...NO_DOCUMENTS,
  ...optionalTexts(() => ''),
  staysLoggedIn: false,
};

export function RegisterDoctorView() {
  const enter = useEnter();
  const form = useForm({
    labels: LABELS,
    initial: NOTHING,
    checks: DOCUMENT_CHECKS,
    send: ({ staysLoggedIn, ...doctor }, options) =>
      enter(staysLoggedIn, (client) => client.registerDoctor(doctor, options)),
    done: ({ account }) => announce(`Welcome, ${account.name}. Your documents have arrived.`),
  });
  return (
    <Form form={form} submitText="Register">
      <Fieldset title="Your account">
        <AccountFields form={form} />
        <PhoneField field={form.field('phone')} />
      </Fieldset>
      <Fieldset title="Your license to practise">
        <TextField field={form.field('specialization')} />
        <TextField field={form.field('licenseNumber')} />
      </Fieldset>
      <DocumentFields form={form} />
      <Fieldset title="More about you">
        {OPTIONAL_TEXTS.map(({ name, isLong }) => (
          <TextField key={name} field={form.field(name)} isOptional isLong={isLong} />
        ))}
      </Fieldset>
      <CheckField field={form.field('staysLoggedIn')} hint={STAY.hint} />
    </Form>
  );
}
