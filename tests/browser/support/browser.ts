import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Watch, watchPages } from './watch.ts';

/** The path of Debian's Chromium. A browser from an npm package would be downloaded from another host. */
const CHROMIUM = '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Whatever a page asks for elsewhere is reported by the watch, and does not leave the machine.
  '--host-resolver-rules=MAP localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** The timeout of a page, far longer than it needs on a busy machine: the documentation takes three seconds of a core. */
const PAGE_TIMEOUT_MILLIS = 60_000;

/** Chromium, with a new profile for each test. */
export interface TestBrowser {
  /**
   * Opens a page of the test's profile. Its origin is from now on under test: requests to any other are problems.
   * @param options of the profile, which is made by the first call of a test: `{ viewport, colorScheme, … }`
   */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
  /**
   * What went wrong since the last call: errors and warnings of the console (violations of the Content-Security-Policy
   * and answers of 400 and above are among them), uncaught errors, requests that failed or went elsewhere. A test that
   * causes some takes them; any that are left at its end make it fail.
   */
  takeProblems(): Promise<string[]>;
}

/**
 * A browser for all tests of the file or block that this is called in.
 * @throws when Chromium is missing, with how to install it
 */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  let watch: Watch | undefined;
  const takeProblems = async () => (await watch?.takeProblems()) ?? [];

  beforeAll(async () => {
    browser = await launch();
  });
  afterEach(async () => {
    const problems = await takeProblems();
    await watch?.context.close();
    watch = undefined;
    expect(problems).toEqual([]);
  });
  afterAll(() => browser?.close());

  return {
    async open(url, options) {
      if (!browser) {
        throw new Error('the browser runs only while the tests do');
      }
      watch ??= watchPages(await browser.newContext(options));
      watch.context.setDefaultTimeout(PAGE_TIMEOUT_MILLIS);
      watch.permit(url);
      const page = await watch.context.newPage();
      await page.goto(url);
      return page;
    },
    takeProblems,
  };
}

async function launch(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`The browser tests need Chromium at ${CHROMIUM}: apt-get install chromium`);
  }
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
