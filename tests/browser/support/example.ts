import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { type AuthClient, createAuthClient } from '../../../packages/client/src/index.ts';
import type { TestDocument } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { useWorkshop } from '../../support/gateway-process.ts';
import { freePort } from '../../support/listen.ts';

/** The example application and its gateway, as `npm run example` starts them. */
export interface Example {
  /** The address of a view, such as `/login`. */
  view(place: string): string;
  /** A client like that of another device of the same person. */
  client(token?: string): AuthClient;
}

/** The example for all tests of the file. It is built anew, and ends with them. */
export function useExample(): Example {
  const workshop = useWorkshop();
  let gateway = '';
  let page = '';
  beforeAll(async () => {
    const settings = { PORT: String(await freePort()), LOG_LEVEL: 'silent' };
    const started = workshop.start(settings, path.resolve('examples/web/start.js'));
    gateway = await started.url();
    await eventually(() => {
      page = /example application is ready: (\S+)/.exec(started.stdout)?.[1] ?? '';
      if (page === '') {
        throw new Error(`not ready yet: ${started.stderr}`);
      }
    }, 30_000);
  });
  return {
    view: (place) => `${page}#${place}`,
    client: (token) => createAuthClient({ url: gateway, token }),
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

/** Waits until a control has the focus. */
export const focused = (control: Locator): Promise<void> =>
  eventually(async () => expect(await control.evaluate((it) => it === document.activeElement)).toBe(true));
