import type { AuthError, PersonalData } from '@auth-gateway/client';
import { openDialog } from '../../dialog.ts';
import { button, element } from '../../element.ts';
import { form } from '../../form.ts';
import { announce, goTo } from '../../navigation.ts';
import { client, forgetSession } from '../../session.ts';
import { endedSession } from '../../session-problems.ts';
import { dayText } from '../../times.ts';
import { currentPasswordField } from '../account-fields.ts';

/** Taking one's data along, and closing the account. */
export function leavingSection(fail: (error: AuthError<string>) => void): HTMLElement {
  const download = button('Download my data', {}, async () => {
    const data = await client.exportMyData();
    if (!data.ok) {
      return fail(data.error);
    }
    save(data.data);
    announce('Your data is downloaded.');
  });
  const close = button('Close my account…', { class: 'danger' }, () =>
    openDialog('Close your account?', closingForm),
  );
  const head = element('div', { class: 'section-head' }, element('h2', {}, 'Your data'));
  return element('section', {}, head, element('div', { class: 'buttons' }, download, close));
}

/** Saves data as a file, as if it was a link to one. */
function save(data: PersonalData): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }));
  element('a', { href: url, download: `my-data-${data.generatedAt.slice(0, 10)}.json` }).click();
  URL.revokeObjectURL(url);
}

function closingForm(dialog: { close(): void }): Node[] {
  const password = currentPasswordField('Password');
  const closing = form({
    fields: { password },
    content: [
      element('p', {}, 'You are logged out at once, and cannot log in any more. Your data is erased later.'),
      password.element,
    ],
    submitText: 'Close my account',
    otherButtons: [button('Cancel', {}, dialog.close)],
    send: ({ signal }) => client.deleteMyAccount({ password: password.value }, { signal }),
    done: ({ erasedAfter }) => {
      forgetSession();
      goTo('/login', `Your account is closed. It will be erased after ${dayText(erasedAfter)}.`);
    },
    handles: endedSession,
  });
  return [closing];
}
