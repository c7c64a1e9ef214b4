import { valuesOf } from '../field.ts';
import { form } from '../form.ts';
import { goTo } from '../navigation.ts';
import { client, rememberSession } from '../session.ts';
import { accountFields, birthField, phoneField } from './account-fields.ts';

export function registerPatientView(): HTMLElement[] {
  const fields = { ...accountFields(), phone: phoneField(true), dateOfBirth: birthField() };
  const registration = form({
    fields,
    content: Object.values(fields).map((field) => field.element),
    submitText: 'Register',
    send: ({ signal }) => client.registerPatient(valuesOf(fields), { signal }),
    done: (session) => {
      rememberSession(session);
      goTo('/account', `Welcome, ${session.account.name}. Your account is ready.`);
    },
  });
  return [registration];
}
