import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { aPatient } from '../support/people.ts';
import { useBrowser } from './support/browser.ts';
import { focused } from './support/pages.ts';
import { usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const pages = usePeoplePages();

type Credentials = { email: string; password: string };

async function fillIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
}

const tokens = (page: Page) => page.locator('.tokens li');

/** Logs in, and waits until the account is shown and all of it has been asked for. */
async function logIn(credentials: Credentials): Promise<Page> {
  const page = await browser.open(pages.view('/login'));
  await fillIn(page, credentials);
  await page.getByRole('button', { name: 'Log in' }).click();
  await tokens(page).getByText('This session').waitFor();
  return page;
}

const loggedOut = (page: Page) => page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();

/** Whether the gateway still honours the token of a client. */
const isHonoured = async ({ client }: Awaited<ReturnType<typeof pages.newPatient>>) => (await client.me()).ok;

test('a wrong password shows an error and the right one logs in, with the keyboard alone', async () => {
  const { patient } = await pages.newPatient();
  const page = await browser.open(pages.view('/login'));
  const email = page.getByLabel('E-mail');
  await eventually(async () => {
    await page.keyboard.press('Tab');
    expect(await email.evaluate((it) => it === document.activeElement)).toBe(true);
  });
  await page.keyboard.type(patient.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type('not the password');
  const rest = [
    page.getByRole('button', { name: 'Show password' }),
    page.getByRole('button', { name: 'Log in' }),
  ];
  for (const control of rest) {
    await page.keyboard.press('Tab');
    await focused(control);
  }
  await page.keyboard.press('Space');
  await page.getByRole('alert').getByText('There is no account with this e-mail and password.').waitFor();

  await focused(page.getByRole('button', { name: 'Log in' }));
  for (const control of [...rest.slice(0, -1).reverse(), page.getByLabel('Password')]) {
    await page.keyboard.press('Shift+Tab');
    await focused(control);
  }
  await page.keyboard.type(patient.password);
  await page.keyboard.press('Enter');

  await page.getByRole('status').getByText(`Welcome back, ${patient.name}.`).waitFor();
  await focused(page.getByRole('heading', { level: 1, name: 'Your account' }));
  expect(await page.title()).toBe('Your account – Example practice');
});

/** What a page has stored: the keys for all tabs, those for its own tab, and all cookies, with the ones that no script can read. */
const storedBy = async (page: Page) => [
  ...(await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage)])),
  await page.context().cookies(),
];

const TOKEN = 'auth-gateway people';

test('a session survives a reload, no cookie is set, and only the storage of the tab has its token', async () => {
  const { patient } = await pages.newPatient();
  const page = await logIn(patient);
  await page.reload();

  await page.getByRole('definition').getByText(patient.email).waitFor();
  expect(await storedBy(page)).toEqual([[], [TOKEN, `${TOKEN} active`], []]);
  await loggedOut(await browser.open(pages.view('/account')));
});

test('a revoked token stops working and leaves the list', async () => {
  const elsewhere = await pages.newPatient();
  const page = await logIn(elsewhere.patient);
  const other = tokens(page).filter({ hasNotText: 'This session' });
  await other.getByRole('button', { name: /^Revoke node, since/ }).click();

  await page.getByRole('status').getByText('The token is revoked.').waitFor();
  await focused(page.getByRole('heading', { name: 'Where you are logged in' }));
  expect(await tokens(page).count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Log out everywhere else' }).isHidden()).toBe(true);
  expect(await isHonoured(elsewhere)).toBe(false);
});

test('an account can log out everywhere else', async () => {
  const elsewhere = await pages.newPatient();
  await pages.client().login(elsewhere.patient);
  const page = await logIn(elsewhere.patient);
  await page.getByRole('button', { name: 'Log out everywhere else' }).click();

  await page.getByRole('status').getByText('Revoked: 2 tokens.').waitFor();
  await tokens(page).getByText('This session').waitFor();
  expect(await tokens(page).count()).toBe(1);
  expect(await isHonoured(elsewhere)).toBe(false);
});

test('revoking the token of the session logs out', async () => {
  const { patient } = await pages.newPatient();
  const page = await logIn(patient);
  await tokens(page).filter({ hasText: 'This session' }).getByRole('button').click();

  await loggedOut(page);
  await page.getByRole('status').getByText('You are logged out.').waitFor();
  // The login asks for passkeys.
  await page.waitForLoadState('networkidle');
  await page.reload();
  await loggedOut(page);
});

test('a logout revokes the token and forgets it', async () => {
  const { patient } = await pages.newPatient();
  const page = await logIn(patient);
  const token = await page.evaluate(() => sessionStorage.getItem('auth-gateway people') ?? '');
  await page.getByRole('button', { name: 'Log out', exact: true }).click();

  await page.getByRole('status').getByText('You are logged out.').waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  expect((await pages.client(token).me()).ok).toBe(false);
});

test('half an hour without a key or a pointer ends the session at the gateway', async () => {
  const { patient } = await pages.newPatient();
  const page = await logIn(patient);
  const token = await page.evaluate((key) => sessionStorage.getItem(key) ?? '', TOKEN);
  await page.clock.install();
  await page.reload();
  await tokens(page).getByText('This session').waitFor();
  await page.clock.fastForward('29:00');
  await page.keyboard.press('Shift');
  await page.clock.fastForward('29:00');
  expect((await pages.client(token).me()).ok).toBe(true);
  await page.clock.fastForward('02:00');

  await page.getByRole('status').getByText('because you were away for 30 minutes').waitFor();
  await loggedOut(page);
  expect((await pages.client(token).me()).ok).toBe(false);
  expect(await storedBy(page)).toEqual([[], [], []]);
});

test('a session that was ended elsewhere returns to the login', async () => {
  const { patient, client } = await pages.newPatient();
  const page = await logIn(patient);
  await client.tokens.revokeOthers();
  await page.getByRole('button', { name: 'Log out everywhere else' }).click();

  await page.getByRole('status').getByText('Your session has ended. Please log in again.').waitFor();
  await loggedOut(page);
});

test('too many attempts show how long to wait', async () => {
  const stranger = aPatient();
  for (let attempt = 1; attempt <= 10; attempt++) {
    await pages.client().login(stranger);
  }
  const page = await browser.open(pages.view('/login'));
  await fillIn(page, stranger);
  await page.getByRole('button', { name: 'Log in' }).click();

  await page
    .getByRole('alert')
    .getByText(/^Too many attempts\. Please try again in (a second|\d+ seconds)\.$/)
    .waitFor();
  expect(await browser.takeProblems()).toEqual([expect.stringMatching(/^console: .*429/)]);
});

/** What GraphQL clients are told by a gateway that is overloaded or without its database. */
const BUSY = {
  errors: [
    {
      message: 'Service Unavailable',
      extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 },
    },
  ],
};

test.each([
  ['is busy', { status: 503, json: BUSY }, 'The service is busy. Please try again in 5 seconds.'],
  [
    'is unreachable behind its proxy',
    { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' },
    'The service does not answer as it should (HTTP 502). Please try again later.',
  ],
  [
    'cannot be reached',
    undefined,
    'The service cannot be reached. Please check your connection and try again.',
  ],
])('the page reports a gateway that %s, and the form keeps its values', async (_how, answer, text) => {
  const { patient } = await pages.newPatient();
  const page = await browser.open(pages.view('/login'));
  await fillIn(page, patient);
  await page.route('**/graphql', (route) => (answer ? route.fulfill(answer) : route.abort()));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText(text).waitFor();
  expect(await browser.takeProblems()).toContainEqual(
    expect.stringMatching(/Failed to load resource|failed: POST/),
  );

  await page.unroute('**/graphql');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText(`Welcome back, ${patient.name}.`).waitFor();
});

test('an account that failed to load can be loaded again', async () => {
  const { patient } = await pages.newPatient();
  const page = await logIn(patient);
  await page.route('**/graphql', (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
  expect(await browser.takeProblems()).not.toEqual([]);

  await page.unroute('**/graphql');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('definition').getByText(patient.email).waitFor();
  await focused(page.getByRole('heading', { level: 1, name: 'Your account' }));
});
