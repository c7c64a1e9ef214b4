import { aPatient, freshEmail } from '../support/people.ts';
import { useSmtpServer } from '../support/smtp-server.ts';
import { useBrowser } from './support/browser.ts';
import { focused } from './support/pages.ts';
import { descriptionOf, expectWayBack, usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const mails = useSmtpServer();
const pages = usePeoplePages(() => ({
  SMTP_URL: mails.url,
  MAIL_FROM: 'Example practice <practice@example.org>',
}));

/** The link in the next mail to an e-mail. Mails to others are passed over. */
async function linkTo(email: string): Promise<string> {
  for (;;) {
    const { text, recipients } = await mails.nextMail();
    if (recipients.includes(email)) {
      return /http\S+/.exec(text)?.[0] ?? '';
    }
  }
}

test('an e-mail is confirmed by the button of the page, not by opening it, and changed by another link', async () => {
  const patient = aPatient();
  const client = pages.client();
  expect((await client.registerPatient(patient)).ok).toBe(true);
  const link = await linkTo(patient.email);
  const token = new URL(link.replace('#/', '')).searchParams.get('token') ?? 'none';
  const page = await browser.open(pages.view('/login'));
  await pages.logIn(page, patient);
  await page.getByRole('heading', { name: 'Your e-mail address is not confirmed' }).waitFor();

  await page.goto(link);
  const confirm = page.getByRole('button', { name: 'Confirm the address' });
  await confirm.waitFor();
  expect(page.url()).not.toContain(token);
  expect(await client.me()).toMatchObject({ ok: true, data: { emailVerifiedAt: null } });
  await confirm.click();
  await page.getByRole('status').getByText('Your e-mail address is confirmed.').waitFor();
  await expectWayBack(page);
  expect(await client.me()).toMatchObject({ ok: true, data: { emailVerifiedAt: expect.any(String) } });
  await page.getByRole('heading', { name: 'E-mail address' }).waitFor();
  expect(await page.getByText('is not confirmed').count()).toBe(0);

  const email = freshEmail();
  await page.getByLabel('New e-mail address').fill(email);
  await page.getByLabel('Your password').fill('not the password');
  const change = page.getByRole('button', { name: 'Change the address' });
  await change.click();
  await focused(page.getByLabel('Your password'));
  expect(await descriptionOf(page.getByLabel('Your password'))).toContain('The password is incorrect.');
  await page.getByLabel('Your password').fill(patient.password);
  await change.click();
  await page.getByRole('status').getByText('Open the link in the mail to the new address').waitFor();
  await page.goto(await linkTo(email));
  await confirm.click();
  await page.getByText(`Your address is ${email}.`).waitFor();

  await page.goto(link);
  await confirm.click();
  const code = page.getByLabel('Code of the link');
  await focused(code);
  expect(await descriptionOf(code)).toContain('This link was used already, or has expired.');
});
