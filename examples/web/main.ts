import { type AuthError, createAuthClient } from '@auth-gateway/client';

/** The page calls its own origin, which passes the calls on (`vite.config.ts`). The token survives a reload and ends with the tab. */
const client = createAuthClient({ url: '/', storage: sessionStorage });

const element = <Type extends HTMLElement>(id: string) => document.getElementById(id) as Type;
const [login, code, account] = [
  element<HTMLFormElement>('login'),
  element<HTMLFormElement>('code'),
  element('account'),
];
/** Of a login whose password was right, and that needs a code. */
let challenge: string | undefined;

/** Shows who is logged in. The client calls it whenever that changes. */
function show(): void {
  const { session } = client;
  login.hidden = session.status !== 'anonymous' || challenge !== undefined;
  code.hidden = session.status !== 'anonymous' || challenge === undefined;
  account.hidden = session.status !== 'authenticated';
  element('state').textContent =
    session.status === 'authenticated' ? `You are ${session.account.name}.` : 'Nobody is logged in.';
  if (session.status === 'authenticated') {
    void showTokens();
  } else if (session.status === 'loading') {
    element('state').textContent = 'Loading …';
    tell(session.error);
  }
}

/** Where the person is logged in. */
async function showTokens(): Promise<void> {
  const tokens = await client.tokens.list();
  if (!tokens.ok) {
    return tell(tokens.error);
  }
  const items = tokens.data.map(({ name, current }) => {
    const item = document.createElement('li');
    item.textContent = `${name}${current ? ' (this session)' : ''}`;
    return item;
  });
  element('tokens').replaceChildren(...items);
}

/** Shows an error: what is wrong with the fields, or why there is no answer. */
function tell(error?: AuthError<string>): void {
  const texts = error?.code === 'BAD_USER_INPUT' ? Object.values(error.fields).flat() : [error?.message];
  element('problem').textContent = texts.filter(Boolean).join(' ');
}

const textIn = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name) ?? '');

login.addEventListener('submit', async (event) => {
  event.preventDefault();
  const result = await client.login({ email: textIn(login, 'email'), password: textIn(login, 'password') });
  if (!result.ok && result.error.code === 'TWO_FACTOR_REQUIRED') {
    challenge = result.error.challenge;
    tell();
    return show();
  }
  tell(result.error ?? undefined);
});

code.addEventListener('submit', async (event) => {
  event.preventDefault();
  const result = await client.completeLogin({ challenge: challenge ?? '', code: textIn(code, 'code') });
  // A challenge that has ended is of no use: the password is asked for again.
  if (result.ok || (result.error.code === 'BAD_USER_INPUT' && result.error.fields.challenge)) {
    challenge = undefined;
  }
  tell(result.error ?? undefined);
  show();
});

element('logout').addEventListener('click', async () => tell((await client.logout()).error ?? undefined));

client.subscribe(show);
show();
