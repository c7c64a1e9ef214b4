import { documentField } from '../document-field.ts';
import { element } from '../element.ts';
import { type Field, textField, valuesOf } from '../field.ts';
import { form } from '../form.ts';
import { goTo } from '../navigation.ts';
import { eachOptionalText } from '../profile-texts.ts';
import { client, rememberToken } from '../session.ts';
import { accountFields, phoneField } from './account-fields.ts';

export function registerDoctorView(): HTMLElement[] {
  const account = { ...accountFields(), phone: phoneField() };
  const practice = {
    specialization: textField('Specialization'),
    licenseNumber: textField('License number'),
  };
  const documents = {
    licenseFile: documentField('License'),
    diplomaFile: documentField('Diploma'),
    certificationFile: documentField('Certification'),
  };
  const more = eachOptionalText((_name, { label, ...options }) =>
    textField(label, { isOptional: true, ...options }),
  );
  const fields = { ...account, ...practice, ...documents, ...more };
  const registration = form({
    fields,
    content: [
      section('Your account', account),
      section('Your license to practise', practice),
      section('Your documents', documents),
      section('More about you', more),
    ],
    submitText: 'Register',
    send: (options) => client.registerDoctor(valuesOf(fields), options),
    done: ({ account: { name } }) => {
      rememberToken();
      goTo('/account', `Welcome, ${name}. Your documents have arrived.`);
    },
  });
  return [registration];
}

function section(title: string, fields: Record<string, Field>): HTMLElement {
  const elements = Object.values(fields).map((field) => field.element);
  return element(
    'fieldset',
    {},
    element('legend', {}, title),
    element('div', { class: 'fields' }, ...elements),
  );
}
