import type { Page } from 'playwright-core';
import { aDoctor, aPatient, OPTIONAL_PROFILE } from '../support/people.ts';
import { TWO_FACTOR } from '../support/second-factor.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, expectAccessible } from './support/pages.ts';
import { usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const pages = usePeoplePages(() => ({ ...TWO_FACTOR, OPERATOR_API: 'on', PASSKEY_RP_ID: 'localhost' }));

const submit = (page: Page, name: string) => page.getByRole('button', { name }).click();

/** What to do with a page until it shows a view, and what tells that it does. */
const VIEWS: [name: string, place: string, arrive: (page: Page) => Promise<unknown>][] = [
  ['the login', '/login', async () => {}],
  [
    'a refused login',
    '/login',
    async (page) => {
      await page.getByLabel('E-mail').fill(aPatient().email);
      await page.getByLabel('Password').fill('not the password');
      await submit(page, 'Log in');
      await page.getByText('There is no account').waitFor();
    },
  ],
  ["a doctor's registration", '/register/doctor', async () => {}],
  [
    "a doctor's registration with errors",
    '/register/doctor',
    async (page) => {
      await submit(page, 'Register');
      await page.getByText('need your attention').waitFor();
      const [license] = await page.locator('input[type=file]').all();
      await license?.setInputFiles({
        name: `${'long-'.repeat(40)}.txt`,
        mimeType: '',
        buffer: Buffer.from('text'),
      });
      await page.getByText('Please choose a file of one of these types').waitFor();
    },
  ],
  [
    "a patient's registration with advice about a shown password",
    '/register/patient',
    async (page) => {
      await page.getByLabel('Password').fill('baseball');
      await submit(page, 'Show password');
      await page.getByText('Too common').waitFor();
    },
  ],
  [
    "a doctor's account",
    '/login',
    async (page) => {
      const name = 'Dr. Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh';
      const doctor = { ...aDoctor({ name, ...OPTIONAL_PROFILE }), ...someDocuments() };
      await pages.client().registerDoctor(doctor);
      await page.getByLabel('E-mail').fill(doctor.email);
      await page.getByLabel('Password').fill(doctor.password);
      await submit(page, 'Log in');
      await page.getByText('This session').waitFor();
    },
  ],
  ['a forgotten password', '/forgotten', async () => {}],
  [
    'a refused reset',
    '/reset?token=not-a-token',
    async (page) => {
      await page.getByLabel('New password').fill(aPatient().password);
      await submit(page, 'Set the new password');
      await page.getByText('One field needs your attention').waitFor();
    },
  ],
  ["a rejected doctor's account", '/login', (page) => showRejected(page)],
  ['the closing of an account', '/login', (page) => showClosing(page)],
];

const someDocuments = () => ({
  licenseFile: aPdfBlob(),
  diplomaFile: aPdfBlob(),
  certificationFile: aPdfBlob(),
});

/** Shows the account of a new doctor whom a reviewer has rejected. */
async function showRejected(page: Page): Promise<void> {
  const doctor = aDoctor();
  const registered = await pages.client().registerDoctor({ ...doctor, ...someDocuments() });
  const id = registered.ok ? registered.data.account.id : '';
  const reviewer = pages.client();
  await reviewer.login(await pages.newReviewer());
  const reason = 'The license cannot be read.';
  const rejection = { id, revision: 0, decision: 'REJECT', reason } as const;
  expect((await reviewer.reviews.decide(rejection)).ok).toBe(true);
  await pages.logIn(page, doctor);
  await page.getByText(reason).waitFor();
}

async function showClosing(page: Page): Promise<void> {
  const { patient } = await pages.newPatient();
  await pages.logIn(page, patient);
  // The last part of the page that arrives.
  await page.getByRole('button', { name: 'Add a passkey…' }).waitFor();
  await page.getByRole('button', { name: 'Set up an app…' }).waitFor();
  await page.getByRole('button', { name: 'Close my account…' }).click();
  await page.getByRole('dialog').waitFor();
}

const aPdfBlob = () => new Blob(['%PDF-1.7\n%%EOF\n'], { type: 'application/pdf' });

test.each(VIEWS)(
  '%s is accessible in light and dark colours, and needs no scrolling to the side on 320 pixels',
  async (_name, place, arrive) => {
    const page = await browser.open(pages.view(place), { viewport: { width: 320, height: 740 } });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await arrive(page);
    await expectAccessible(page);
  },
);

test('axe finds the faults of a page', async () => {
  const page = await browser.open(pages.view('/login'));
  await page
    .locator('label')
    .first()
    .evaluate((label) => label.remove());

  expect(await accessibilityProblems(page)).toContainEqual(expect.stringMatching(/^critical label: #/));
});

test('the title, the heading and the navigation show a change of the view', async () => {
  const page = await browser.open(pages.view('/login'));
  await page.getByRole('navigation').getByRole('link', { name: 'For doctors' }).click();

  await page.getByRole('heading', { level: 1, name: 'Register as a doctor' }).waitFor();
  expect(await page.title()).toBe('Register as a doctor – Example practice');
  expect(await page.locator('nav [aria-current]').allTextContents()).toEqual(['For doctors']);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
});
