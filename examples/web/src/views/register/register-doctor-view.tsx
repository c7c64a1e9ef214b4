import { CheckField } from '../../form/check-field.tsx';
import { Fieldset } from '../../form/fieldset.tsx';
import { Form } from '../../form/form.tsx';
import { TextField } from '../../form/text-field.tsx';
import { useForm } from '../../form/use-form.ts';
import { useTexts } from '../../language/language.ts';
import { announce } from '../../navigation/notice.ts';
import { useEnter } from '../../session/chosen-auth-provider.tsx';
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
  staysLoggedIn: false,
};

export function RegisterDoctorView() {
  const enter = useEnter();
  const texts = useTexts();
  const { fields, hints, register } = texts;
  const form = useForm({
    labels: {
      ...accountLabels(texts),
      phone: fields.phone,
      specialization: fields.specialization,
      licenseNumber: fields.licenseNumber,
      ...documentLabels(texts),
      ...optionalTexts((name) => fields[name]),
      staysLoggedIn: fields.staysLoggedIn,
    },
    initial: NOTHING,
    checks: DOCUMENT_CHECKS,
    send: ({ staysLoggedIn, ...doctor }, options) =>
      enter(staysLoggedIn, (client) => client.registerDoctor(doctor, options)),
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
      <CheckField field={form.field('staysLoggedIn')} hint={hints.staysLoggedIn} />
    </Form>
  );
}
