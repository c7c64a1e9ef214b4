import { textField, valuesOf } from '../field.ts';
import { form } from '../form.ts';
import { goTo } from '../navigation.ts';
import { eachOptionalText } from '../profile-texts.ts';
import { client, rememberSession } from '../session.ts';
import { accountFields, phoneField } from './account-fields.ts';
import { documentFields, fieldSet } from './field-sets.ts';

export function registerDoctorView(): HTMLElement[] {
  const account = { ...accountFields(), phone: phoneField() };
  const practice = {
    specialization: textField('Specialization'),
    licenseNumber: textField('License number'),
  };
  const documents = documentFields();
  const more = eachOptionalText((_name, { label, ...options }) =>
    textField(label, { isOptional: true, ...options }),
  );
  const fields = { ...account, ...practice, ...documents, ...more };
  const registration = form({
    fields,
    content: [
      fieldSet('Your account', account),
      fieldSet('Your license to practise', practice),
      fieldSet('Your documents', documents),
      fieldSet('More about you', more),
    ],
    submitText: 'Register',
    send: (options) => client.registerDoctor(valuesOf(fields), options),
    done: (session) => {
      rememberSession(session);
      goTo('/account', `Welcome, ${session.account.name}. Your documents have arrived.`);
    },
  });
  return [registration];
}
