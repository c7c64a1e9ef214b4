import path from 'node:path';
import { createAuthClient } from '../../packages/client/src/index.ts';
import { eventually } from '../support/eventually.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { freePort } from '../support/listen.ts';
import { aPatient } from '../support/people.ts';
import { codeAt, TWO_FACTOR } from '../support/second-factor.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, overflowPixels } from './support/pages.ts';

const browser = useBrowser();
const workshop = useWorkshop();
let gateway: string;
let address: string;
beforeAll(async () => {
  const [port, pagePort] = [await freePort(), await freePort()].map(String);
  const settings = { PORT: port, EXAMPLE_PORT: pagePort, LOG_LEVEL: 'silent', ...TWO_FACTOR };
  const started = workshop.start(settings, path.resolve('examples/web/start.js'));
  gateway = await started.url();
  await started.printed('The example application is ready');
  address = /example application is ready: (\S+)/.exec(started.stdout)?.[1] ?? started.stderr;
});

test('the example logs in with a code, stays so after a reload, and logs out', async () => {
  const patient = aPatient();
  const client = createAuthClient({ url: gateway });
  await client.registerPatient(patient);
  const app = await client.enableTwoFactor({ password: patient.password });
  const secretKey = app.ok ? app.data.secretKey : '';
  expect((await client.confirmTwoFactor({ code: codeAt(secretKey, -1, Date.now()) })).ok).toBe(true);

  const page = await browser.open(address, { viewport: { width: 320, height: 740 } });
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText('The email field is required.').waitFor();
  await page.getByLabel('E-mail').fill(patient.email);
  await page.getByLabel('Password').fill(patient.password);
  expect([await overflowPixels(page), ...(await accessibilityProblems(page))]).toEqual([0]);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Code of your app').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').getByText('code').waitFor();
  await page.getByLabel('Code of your app').fill(codeAt(secretKey, 0, Date.now()));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('status').getByText(`You are ${patient.name}.`).waitFor();
  await page.getByText('(this session)').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('');
  await page.reload();
  await page.getByText('(this session)').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('status').getByText('Nobody is logged in.').waitFor();
  await eventually(async () => expect(await page.getByLabel('E-mail').isVisible()).toBe(true));
  await page.getByRole('link', { name: 'Register' }).click();
  await page.getByRole('heading', { level: 1, name: 'Register as a patient' }).waitFor();
});
