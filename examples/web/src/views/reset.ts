import { element } from '../element.ts';
import { type Field, textField, valuesOf } from '../field.ts';
import { form } from '../form.ts';
import { goTo } from '../navigation.ts';
import { givenResetToken } from '../reset-token.ts';
import { client, forgetSession } from '../session.ts';
import { newPasswordField } from './account-fields.ts';

/** Sets a new password with the token of a reset link, or with a code that an operator has given. */
export function resetView(): HTMLElement[] {
  const fields = { token: tokenField(givenResetToken()), newPassword: newPasswordField('New password') };
  const reset = form({
    fields,
    content: Object.values(fields).map((field) => field.element),
    submitText: 'Set the new password',
    send: ({ signal }) => client.password.reset(valuesOf(fields), { signal }),
    done: () => {
      // The reset has revoked all tokens of the account, which may be that of this page.
      forgetSession();
      goTo('/login', 'Your new password is set. Please log in with it.');
    },
  });
  const again = element('a', { href: '#/forgotten' }, 'Ask for another link');
  return [reset, element('p', { class: 'aside' }, again)];
}

/** The token of a link is not shown, unless the gateway refuses it. */
function tokenField(token: string): Field<string> {
  const field = textField('Reset code', {
    hint: 'From the link in the mail, or from the operator',
    attributes: { value: token, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' },
  });
  field.element.hidden = token !== '';
  return {
    element: field.element,
    label: field.label,
    control: field.control,
    get value() {
      return field.value;
    },
    showErrors(texts) {
      if (texts.length > 0) {
        field.element.hidden = false;
      }
      field.showErrors(texts);
    },
  };
}
