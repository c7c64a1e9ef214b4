import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT, runIn } from '../support/consumer.ts';
import type { TestDocument } from '../support/documents.ts';
import { watch } from '../support/gateway-process.ts';
import { freePort } from '../support/listen.ts';
import { aDoctor, aPatient, type Fields } from '../support/people.ts';
import { useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';

// The page of examples/clients/react in a browser.
const VITE = path.join(ROOT, 'node_modules/vite/bin/vite.js');

const app = useTestApp();
const browser = useBrowser();
let project: string;
let server: ChildProcess;
let address: string;

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'auth-gateway-recipe-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'));
  await cp(path.join(ROOT, 'examples/clients/react'), project, { recursive: true });
  const config = path.join(project, 'vite.config.ts');
  await writeFile(config, (await readFile(config, 'utf8')).replaceAll('http://127.0.0.1:4000', app.url));
  // Browsers ask for an icon, which the recipe does not have.
  await mkdir(path.join(project, 'public'));
  await writeFile(path.join(project, 'public/favicon.ico'), '');
  const tsconfig = { compilerOptions: { jsx: 'react-jsx' } };
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
  await runIn(project, 'node', VITE, 'build', '--logLevel', 'warn');
  address = await serve();
});
afterAll(async () => {
  server.kill('SIGKILL');
  await watch(server).exitCode();
  await rm(project, { recursive: true, force: true });
});

/** Serves the built page. Calls of the gateway go through the proxy of the recipe. */
async function serve(): Promise<string> {
  const port = String(await freePort());
  server = spawn('node', [VITE, 'preview', '--host', '127.0.0.1', '--port', port], { cwd: project });
  await watch(server).printed(port);
  return `http://127.0.0.1:${port}/`;
}

/** Fills in a form of the page, and sends it. */
async function send(page: Page, title: string, values: Fields): Promise<void> {
  const form = page.locator('form', { has: page.getByRole('heading', { name: title }) });
  for (const [name, value] of Object.entries(values)) {
    const field = form.locator(`[name=${name}]`);
    if (typeof value === 'string') {
      await field.fill(value);
    } else {
      const { name: file, bytes } = value as TestDocument;
      await field.setInputFiles({ name: file, mimeType: 'application/pdf', buffer: bytes });
    }
  }
  await form.locator('button').click();
}

test('the page of the React recipe registers a patient, keeps the session, logs out, and shows errors', async () => {
  const { name, email, password } = aPatient();
  const page = await browser.open(address);

  await send(page, 'Register as a patient', { name, email, password: 'short' });
  await page.getByText('The password field must be at least 8 characters.').first().waitFor();
  await send(page, 'Register as a patient', { name, email, password });
  await page.getByText(`${name} (PATIENT)`).waitFor();

  await page.reload();
  await page.getByText(`${name} (PATIENT)`).waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();

  await send(page, 'Log in', { email, password: 'wrong horse' });
  await page.getByText('Invalid credentials').waitFor();
  await send(page, 'Log in', { email, password });
  await page.getByText(`${name} (PATIENT)`).waitFor();
});

test('the page of the React recipe registers a doctor with three documents', async () => {
  const doctor = aDoctor();
  const page = await browser.open(address);

  await send(page, 'Register as a doctor', doctor);
  await page.getByText(`${doctor.name} (DOCTOR)`).waitFor();
});
