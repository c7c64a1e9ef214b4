import { element } from '../element.ts';
import { textField } from '../field.ts';
import { form } from '../form.ts';
import { goTo } from '../navigation.ts';
import { client } from '../session.ts';

/** Asks for a mail with a reset link. */
export function forgottenView(): HTMLElement[] {
  const email = textField('E-mail', {
    hint: 'We send a link to this address. It works for an hour.',
    attributes: { type: 'email', autocomplete: 'username' },
  });
  const request = form({
    fields: { email },
    content: [email.element],
    submitText: 'Send the link',
    send: ({ signal }) => client.password.requestReset(email.value, { signal }),
    // The same text for every address: nobody learns here who has an account.
    done: () =>
      goTo('/login', 'If there is an account with this e-mail, a mail with a link is on its way to it.'),
  });
  const back = element('a', { href: '#/login' }, 'Back to the login');
  return [request, element('p', { class: 'aside' }, back)];
}
