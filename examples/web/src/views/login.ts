import { element } from '../element.ts';
import { textField, valuesOf } from '../field.ts';
import { form } from '../form.ts';
import { goTo } from '../navigation.ts';
import { client, firstPlace, rememberSession } from '../session.ts';
import { currentPasswordField } from './account-fields.ts';

export function loginView(): HTMLElement[] {
  const fields = {
    email: textField('E-mail', { attributes: { type: 'email', autocomplete: 'username' } }),
    password: currentPasswordField('Password'),
  };
  const login = form({
    fields,
    content: Object.values(fields).map((field) => field.element),
    submitText: 'Log in',
    send: ({ signal }) => client.login(valuesOf(fields), { signal }),
    done: (session) => {
      rememberSession(session);
      goTo(firstPlace(), `Welcome back, ${session.account.name}.`);
    },
  });
  const forgotten = element('a', { href: '#/forgotten' }, 'Forgotten your password?');
  return [login, element('p', { class: 'aside' }, forgotten)];
}
