import type { AuthError, OwnAccount } from '@auth-gateway/client';
import { button, element } from '../../element.ts';
import { goTo } from '../../navigation.ts';
import { client, forgetSession } from '../../session.ts';
import { sessionProblems } from '../../session-problems.ts';
import { leavingSection } from './leaving-section.ts';
import { passwordSection } from './password-section.ts';
import { profileList } from './profile-list.ts';
import { tokensSection } from './tokens-section.ts';
import { verificationSection } from './verification-section.ts';

/** The account and all that its owner can do with it. It is filled after the answer of the gateway. */
export function accountView(): HTMLElement[] {
  const alert = element('div', { class: 'problems', role: 'alert' });
  const content = element('div', { class: 'sections' }, element('p', {}, 'Loading…'));
  const fail = sessionProblems(alert);

  const load = async () => {
    alert.replaceChildren();
    const me = await client.me();
    if (me.ok) {
      return content.replaceChildren(...sections(me.data, fail));
    }
    content.replaceChildren(button('Try again', {}, load));
    fail(me.error);
  };
  load();
  return [alert, content];
}

function sections(account: OwnAccount, fail: (error: AuthError<string>) => void): HTMLElement[] {
  const { profile } = account;
  const tokens = tokensSection(fail);
  return [
    ...(profile ? [verificationSection(profile.verification)] : []),
    accountSection(account, fail),
    tokens.element,
    passwordSection(tokens.refresh),
    leavingSection(fail),
  ];
}

function accountSection(account: OwnAccount, fail: (error: AuthError<string>) => void): HTMLElement {
  const logOut = button('Log out', {}, async () => {
    const result = await client.logout();
    if (result.ok) {
      forgetSession();
      goTo('/login', 'You are logged out.');
    } else {
      fail(result.error);
    }
  });
  const title = element('h2', {}, account.name);
  const head = element('div', { class: 'section-head' }, title, logOut);
  return element('section', {}, head, profileList(account));
}
