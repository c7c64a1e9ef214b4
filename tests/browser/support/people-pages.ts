import type { Locator, Page } from 'playwright-core';
import { type AuthClient, createAuthClient } from '../../../packages/client/src/index.ts';
import type { TestDocument } from '../../support/documents.ts';
import { useWorkshop } from '../../support/gateway-process.ts';
import { freePort } from '../../support/listen.ts';
import { aPatient } from '../../support/people.ts';

/** The pages for people, as a gateway in development serves them. */
export interface PeoplePages {
  /** The address of the console. */
  readonly staffUrl: string;
  /** The address of a view, such as `/login`. */
  view(place: string): string;
  /** A client like that of another device of the same person. */
  client(token?: string): AuthClient;
  /** A patient who has registered on another device, and the client there. */
  newPatient(): Promise<{ patient: Person; client: AuthClient }>;
  /** Registers a reviewer. No API makes one, so the role is set in the database. */
  newReviewer(): Promise<Person>;
  /** Logs in, and waits until the first view is shown. */
  logIn(page: Page, person: Credentials): Promise<void>;
}

type Credentials = { email: string; password: string };
type Person = ReturnType<typeof aPatient>;

/** The name of the service, and the application that people come from. */
const NAMES = {
  TWO_FACTOR_ISSUER: 'Example practice',
  PEOPLE_RETURN_URL: 'https://app.example.org/clinic?from=login#home',
};

/** The link back to the application is there, and leads to the setting alone. */
export const expectWayBack = async (page: Page): Promise<void> =>
  expect(
    await page.getByRole('link', { name: 'Back to app.example.org', exact: true }).getAttribute('href'),
  ).toBe(NAMES.PEOPLE_RETURN_URL);

/**
 * The built gateway with the pages, for all tests of the file.
 * @param more makes further settings, when the test begins
 */
export function usePeoplePages(more: () => Record<string, string> = () => ({})): PeoplePages {
  const workshop = useWorkshop();
  let gateway = '';
  let listening = '';
  beforeAll(async () => {
    const port = String(await freePort());
    const settings = { PORT: port, ...NAMES, LOG_LEVEL: 'silent', ...more() };
    listening = await workshop.start(settings).url();
    // No browser has passkeys for a page whose address is a number.
    gateway = `http://localhost:${port}`;
  });
  const client = (token?: string) => createAuthClient({ url: gateway, token });
  return {
    get staffUrl() {
      return `${listening}/console`;
    },
    view: (place) => `${gateway}/people#${place}`,
    client,
    async newPatient() {
      const patient = aPatient();
      const registering = client();
      expect((await registering.registerPatient(patient)).ok).toBe(true);
      return { patient, client: registering };
    },
    async newReviewer() {
      const reviewer = aPatient({ name: 'Rev Iewer' });
      await client().registerPatient(reviewer);
      const { modifiedCount } = await workshop.database.accounts.updateOne(
        { email: reviewer.email },
        { $set: { role: 'reviewer' } },
      );
      expect(modifiedCount).toBe(1);
      return reviewer;
    },
    async logIn(page, { email, password }) {
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('status').getByText('Welcome back').waitFor();
    },
  };
}

/** The input of one of the three documents: `License`, `Diploma` or `Certification`. */
export const documentInput = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: 'Your documents' }).getByLabel(new RegExp(`^${name}`));

/** Chooses a file as in the dialog of the browser. */
export const chooseDocument = (page: Page, name: string, { name: fileName, bytes }: TestDocument) =>
  documentInput(page, name).setInputFiles({ name: fileName, mimeType: '', buffer: bytes });

/** The description of a control for screen readers: its hint and its errors. */
export const descriptionOf = (control: Locator): Promise<string> =>
  control.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' '),
  );
