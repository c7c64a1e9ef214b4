import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import type { aPatient } from '../support/people.ts';
import { TWO_FACTOR } from '../support/second-factor.ts';
import { useBrowser } from './support/browser.ts';
import { usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const PASSKEYS = { PASSKEY_RP_ID: 'localhost' };
const pages = usePeoplePages(() => ({ ...PASSKEYS, ...TWO_FACTOR }));
const required = usePeoplePages(() => ({
  ...PASSKEYS,
  ...{ TWO_FACTOR_REQUIRED: 'patient', TWO_FACTOR_GRACE_DAYS: '0' },
}));

const NOT_ACCEPTED = 'This passkey was not accepted.';
type Patient = ReturnType<typeof aPatient>;

/** Chromium's virtual authenticator: the device of a page. https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/ */
async function addDevice(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Whether the person is recognized by a fingerprint, a face or a PIN. */
    recognizes: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** Makes signatures that are wrong. */
    forges: (isBogusSignature: boolean) =>
      session.send('WebAuthn.setResponseOverrideBits', { authenticatorId, isBogusSignature }),
  };
}

/** A page of a new person whose browser has an authenticator, logged in with the password. */
async function visit({ of = pages, hasSuggestions = false } = {}) {
  const { patient } = await of.newPatient();
  const page = await browser.open(of.view('/login'));
  const device = await addDevice(page);
  if (!hasSuggestions) {
    // The virtual device chooses a suggestion by itself, as soon as there is one.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
      const { credentials } = navigator;
      const get = credentials.get.bind(credentials);
      credentials.get = (options) =>
        get(options).finally(() => document.documentElement.setAttribute('data-ended', 'yes'));
    });
    await page.waitForLoadState('networkidle');
    await page.reload();
  }
  return { patient, page, device };
}

async function addPasskey(page: Page, { password }: Patient): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await page.getByRole('button', { name: 'Add a passkey…' }).click();
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Go on' }).click();
}

/** Until nothing is under way: the client still tells the device. */
async function welcome(page: Page): Promise<void> {
  await page.getByRole('status').getByText('Welcome back').waitFor();
  await page.waitForLoadState('networkidle');
}
const logOut = (page: Page) => page.getByRole('button', { name: 'Log out', exact: true }).click();
const alert = (page: Page, text: string) => page.getByRole('alert').getByText(text).waitFor();

test('a person adds a passkey, signs in with it, renames and removes it', async () => {
  const { patient, page, device } = await visit();
  await pages.logIn(page, patient);
  await page.getByRole('button', { name: 'Add a passkey…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByLabel('Your password').fill('wrong password');
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await alert(page, 'The password is incorrect.');
  // Nothing was made on the device.
  expect(await device.credentials()).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await addPasskey(page, patient);
  await page.getByRole('status').getByText('is added').waitFor();
  expect(await device.credentials()).toHaveLength(1);
  const item = page.getByRole('listitem').filter({ hasText: 'Chrome' }).filter({ hasText: 'Rename' });
  await item.waitFor();
  await addPasskey(page, patient);
  await page.getByRole('status').getByText('This device has a passkey of the account already.').waitFor();

  await logOut(page);
  const button = page.getByRole('button', { name: 'Sign in with a passkey' });
  await button.waitFor();
  await button.click();
  await welcome(page);
  await page.getByRole('button', { name: /^Rename / }).click();
  await page.getByLabel('Name', { exact: true }).last().fill('Tablet');
  await page.getByRole('button', { name: 'Rename', exact: true }).last().click();
  await page.getByRole('button', { name: 'Remove Tablet' }).click();
  await page.getByRole('dialog').getByLabel('Your password').fill(patient.password);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('status').getByText('The passkey is removed.').waitFor();
  // The browser has told the device.
  await eventually(async () => expect(await device.credentials()).toEqual([]));
});

test('the suggestions of the field sign in', async () => {
  const { patient, page, device } = await visit({ hasSuggestions: true });
  await pages.logIn(page, patient);
  await addPasskey(page, patient);
  await page.getByRole('status').getByText('is added').waitFor();
  expect(await page.evaluate(() => PublicKeyCredential.isConditionalMediationAvailable())).toBe(true);
  await logOut(page);
  await welcome(page);
  const [credential] = await device.credentials();
  expect(credential?.signCount).toBeGreaterThan(0);
});

test('a bogus signature, a person who is not recognized and a removed passkey get nowhere', async () => {
  const { patient, page, device } = await visit();
  await pages.logIn(page, patient);
  await addPasskey(page, patient);
  await page.getByRole('status').getByText('is added').waitFor();
  await logOut(page);
  const button = page.getByRole('button', { name: 'Sign in with a passkey' });
  await device.forges(true);
  await button.click();
  await alert(page, NOT_ACCEPTED);
  await device.forges(false);
  await device.recognizes(false);
  await page.evaluate(() => document.documentElement.removeAttribute('data-ended'));
  await button.click();
  await page.locator('html[data-ended]').waitFor();
  // The browser has said so; the page has nothing to add.
  expect(await page.getByRole('alert').count()).toBe(0);
  await device.recognizes(true);
  const client = pages.client();
  await client.login(patient);
  const listed = await client.passkeys.list();
  const [passkey] = listed.ok ? listed.data.passkeys : [];
  const removed = await client.passkeys.remove(String(passkey?.id), { password: patient.password });
  expect(removed.ok).toBe(true);
  await button.click();
  await alert(page, NOT_ACCEPTED);
  await eventually(async () => expect(await device.credentials()).toEqual([]));
});

test('where the policy asks for it, a passkey finishes the login with a password', async () => {
  const { patient, page } = await visit({ of: required });
  const client = required.client();
  const refused = await client.login(patient);
  expect(refused.ok ? '' : refused.error.code).toBe('TWO_FACTOR_SETUP_REQUIRED');
  const challenge =
    !refused.ok && refused.error.code === 'TWO_FACTOR_SETUP_REQUIRED' ? refused.error.challenge : '';
  // The page of this test stands for one that sets up a passkey.
  await page.getByLabel('E-mail').fill(patient.email);
  await page.getByLabel('Password').fill(patient.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Set up a passkey' }).click();
  await welcome(page);
  expect(challenge).not.toBe('');
  await logOut(page);
  await page.getByRole('heading', { name: 'Log in', level: 1 }).waitFor();
  await page.getByLabel('E-mail').fill(patient.email);
  await page.getByLabel('Password').fill(patient.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Use your passkey' }).click();
  await welcome(page);
});
