import type { Page } from 'playwright-core';
import { invitingSettings, openIds } from '../support/invitations.ts';
import { freePort } from '../support/listen.ts';
import { logInAgain, newOperator, type Staff } from '../support/operators.ts';
import { freshEmail, freshPassword } from '../support/people.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';
import { createTestApp, REAL_TIME, type TestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, overflowPixels } from './support/pages.ts';
import { enterConsole } from './support/reviews.ts';

const browser = useBrowser();
let server: SmtpTestServer;
let app: TestApp;
let operator: Staff;
let people: string;
beforeAll(async () => {
  server = await startSmtpServer();
  const port = String(await freePort());
  people = `http://localhost:${port}/people`;
  const settings = { ...invitingSettings(server.url), PORT: port, PEOPLE_URL: people, PAGES: 'off' };
  app = await createTestApp(settings, undefined, ...REAL_TIME);
  operator = await newOperator(app);
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

async function openInvitations(): Promise<Page> {
  const page = await browser.open(`${app.url}/console`);
  await enterConsole(page, operator);
  await page.getByRole('link', { name: 'Invitations' }).click();
  await page.getByText('Nobody is invited.').waitFor();
  return page;
}

/** The link in the next mail with an invitation. Mails about logins are passed over. */
async function nextLink(): Promise<string> {
  for (;;) {
    const { text } = await server.nextMail();
    const [link] = /http\S+token=\S+/.exec(text) ?? [];
    if (link) {
      return link;
    }
  }
}

test('an operator invites, sends again and withdraws in the console, and the person registers by the link', async () => {
  const console = await openInvitations();
  const inviting = async (role: string, email: string, name: string) => {
    await console.getByRole('button', { name: `Invite a ${role}…` }).click();
    await console.getByLabel('E-mail').fill(email);
    await console.getByLabel('Name').fill(name);
    await console.getByRole('button', { name: 'Invite', exact: true }).click();
    await console.getByRole('row', { name }).waitFor();
    return nextLink();
  };
  const email = freshEmail();
  const first = await inviting('patient', email, 'Paula Patient');
  expect(await accessibilityProblems(console)).toEqual([]);
  expect(await console.content()).not.toContain('token=');
  await console.getByRole('button', { name: 'Send again…' }).click();
  await console.getByRole('button', { name: 'Send', exact: true }).click();
  const second = await nextLink();
  expect(second).toContain(`${people}#/register/patient?token=`);

  const page = await browser.open(first);
  await page.getByText('This invitation was used or withdrawn, or has expired.').waitFor();
  await page.goto(`${people}#/login`);
  // A closed registration is not offered.
  await page.getByText('New here? Ask the clinic for an invitation.').waitFor();
  expect(await page.getByRole('link', { name: 'For patients' }).count()).toBe(0);
  await page.goto(second);
  await page.getByText(`You are invited: Paula Patient, patient, ${email}.`).waitFor();
  expect(page.url()).not.toContain('token');
  expect(await page.getByLabel('Full name').inputValue()).toBe('Paula Patient');
  expect(await page.getByLabel('E-mail').isVisible()).toBe(false);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflowPixels(page)).toBe(0);
  await page.getByLabel('Password').fill(freshPassword());
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('status').getByText('Welcome, Paula Patient.').waitFor();

  const link = await inviting('doctor', freshEmail(), 'Dora Doctor');
  await console.getByRole('row', { name: 'Dora' }).getByRole('button', { name: 'Withdraw…' }).click();
  await console.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await console.getByText('Nobody is invited.').waitFor();
  expect(await openIds(app, await logInAgain(app, operator))).toEqual([]);
  const other = await browser.open(link);
  await other.getByText('This invitation was used or withdrawn, or has expired.').waitFor();
});
