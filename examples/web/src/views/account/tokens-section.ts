import type { AccessToken, AuthError } from '@auth-gateway/client';
import { button, element } from '../../element.ts';
import { announce, goTo } from '../../navigation.ts';
import { client, forgetSession } from '../../session.ts';
import { time, timeText } from '../../times.ts';

/** The access tokens of the account, each with a button that revokes it. `refresh` reads them again. */
export function tokensSection(fail: (error: AuthError<string>) => void) {
  const title = element('h2', { tabindex: '-1' }, 'Where you are logged in');
  const list = element('ul', { class: 'tokens' });
  const revokeOthers = button('Log out everywhere else', { hidden: true }, async () => {
    const result = await client.tokens.revokeOthers();
    if (!result.ok) {
      return fail(result.error);
    }
    await refresh();
    title.focus();
    announce(`Revoked: ${result.data} ${result.data === 1 ? 'token' : 'tokens'}.`);
  });

  const revoke = async (token: AccessToken) => {
    const result = await client.tokens.revoke(token.id);
    if (!result.ok) {
      return fail(result.error);
    }
    if (token.current) {
      forgetSession();
      return goTo('/login', 'You are logged out.');
    }
    await refresh();
    // The button that had the focus is gone.
    title.focus();
    announce('The token is revoked.');
  };

  const refresh = async () => {
    const tokens = await client.tokens.list();
    if (!tokens.ok) {
      return fail(tokens.error);
    }
    list.replaceChildren(...tokens.data.map((token) => tokenItem(token, revoke)));
    revokeOthers.hidden = tokens.data.every(({ current }) => current);
  };
  refresh();
  const head = element('div', { class: 'section-head' }, title, revokeOthers);
  return { element: element('section', {}, head, list), refresh };
}

function tokenItem(token: AccessToken, revoke: (token: AccessToken) => void): HTMLElement {
  const device = token.device ?? 'Unknown device';
  const title = element('h3', {}, device);
  if (token.current) {
    title.append(' ', element('span', { class: 'badge' }, 'This session'));
  }
  const times = element('p', { class: 'times' }, 'Since ', time(token.createdAt));
  if (token.ip !== null) {
    times.append(` from ${token.ip}`);
  }
  if (token.lastUsedAt !== null) {
    times.append(', last used ', time(token.lastUsedAt));
  }
  if (token.expiresAt !== null) {
    times.append(', until ', time(token.expiresAt));
  }
  const label = `Revoke ${device}, since ${timeText(token.createdAt)}${token.current ? ', this session' : ''}`;
  const act = button('Revoke', { class: 'quiet', 'aria-label': label }, () => revoke(token));
  return element('li', {}, element('div', {}, title, times), act);
}
