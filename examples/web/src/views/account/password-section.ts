import { element } from '../../element.ts';
import { checkField, valuesOf } from '../../field.ts';
import { form } from '../../form.ts';
import { announce } from '../../navigation.ts';
import { client } from '../../session.ts';
import { endedSession } from '../../session-problems.ts';
import { currentPasswordField, newPasswordField } from '../account-fields.ts';

/** Changes the password. @param changed is called after that, when other sessions may have ended */
export function passwordSection(changed: () => void): HTMLElement {
  const fields = {
    currentPassword: currentPasswordField('Current password'),
    newPassword: newPasswordField('New password'),
    revokeOtherTokens: checkField('Log out everywhere else', true),
  };
  const change = form({
    fields,
    content: Object.values(fields).map((field) => field.element),
    submitText: 'Change the password',
    send: ({ signal }) => client.password.change(valuesOf(fields), { signal }),
    done: ({ revokedTokens }) => {
      change.reset();
      changed();
      announce(`Your password is changed.${revokedTokens > 0 ? ' You are logged out everywhere else.' : ''}`);
    },
    handles: endedSession,
  });
  return element(
    'section',
    {},
    element('div', { class: 'section-head' }, element('h2', {}, 'Password')),
    change,
  );
}
