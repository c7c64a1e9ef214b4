import type { AuthError, OwnAccount } from '@auth-gateway/client';
import { button, element } from '../element.ts';
import { goTo } from '../navigation.ts';
import { showProblem } from '../problems.ts';
import { client, forgetToken, rememberToken } from '../session.ts';
import { profileList } from './profile-list.ts';
import { tokensSection } from './tokens-section.ts';

/** The account and its access tokens. It is filled after the answer of the gateway. */
export function accountView(): HTMLElement[] {
  const alert = element('div', { class: 'problems', role: 'alert' });
  const content = element('div', { class: 'sections' }, element('p', {}, 'Loading…'));
  const fail = (error: AuthError<string>) => {
    if (error.code !== 'UNAUTHENTICATED') {
      return showProblem(alert, error);
    }
    // Revoked elsewhere, or expired.
    forgetToken();
    goTo('/login', 'Your session has ended. Please log in again.');
  };

  const load = async () => {
    alert.replaceChildren();
    const me = await client.me();
    if (me.ok) {
      return content.replaceChildren(accountSection(me.data, fail), tokensSection(fail));
    }
    content.replaceChildren(button('Try again', {}, load));
    fail(me.error);
  };
  load();
  return [alert, content];
}

function accountSection(account: OwnAccount, fail: (error: AuthError<string>) => void): HTMLElement {
  const logOut = button('Log out', {}, async () => {
    const result = await client.logout();
    rememberToken();
    if (result.ok) {
      goTo('/login', 'You are logged out.');
    } else {
      fail(result.error);
    }
  });
  const title = element('h2', {}, account.name);
  const head = element('div', { class: 'section-head' }, title, logOut);
  return element('section', {}, head, profileList(account));
}
