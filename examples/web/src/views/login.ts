import { textField, valuesOf } from '../field.ts';
import { form } from '../form.ts';
import { goTo } from '../navigation.ts';
import { client, rememberToken } from '../session.ts';

export function loginView(): HTMLElement[] {
  const fields = {
    email: textField('E-mail', { attributes: { type: 'email', autocomplete: 'username' } }),
    password: textField('Password', { attributes: { type: 'password', autocomplete: 'current-password' } }),
  };
  const login = form({
    fields,
    content: Object.values(fields).map((field) => field.element),
    submitText: 'Log in',
    send: ({ signal }) => client.login(valuesOf(fields), { signal }),
    done: ({ account }) => {
      rememberToken();
      goTo('/account', `Welcome back, ${account.name}.`);
    },
  });
  return [login];
}
