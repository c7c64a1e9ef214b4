import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import type { TestDocument } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

interface Finding {
  id: string;
  impact: string;
  nodes: { target: string[] }[];
}

/**
 * The violations of WCAG and of good practice that axe finds, as `<impact> <rule>: <elements>`.
 * @param within a selector of the part to look at
 */
export async function accessibilityProblems(page: Page, within = 'html'): Promise<string[]> {
  // By the debugger, to which the Content-Security-Policy does not apply. The browser's viewer of a PDF is not part of the page.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    `axe.run('${within}', { iframes: false })`,
  );
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}

/** A document for a file dialog. */
export const picked = ({ name, bytes }: TestDocument) => ({
  name,
  mimeType: 'application/pdf',
  buffer: bytes,
});

/** How much wider a page is than its window. */
export const overflowPixels = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Expects a page to be accessible in light and in dark colours, and no wider than its window. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await overflowPixels(page)).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The colours change in a moment, not at once.
    await page.evaluate(async () => {
      const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
      await Promise.allSettled(transitions.map(({ finished }) => finished));
    });
    expect([colorScheme, ...(await accessibilityProblems(page))]).toEqual([colorScheme]);
  }
}

/** Waits until an element has the focus. */
export const focused = (element: Locator): Promise<void> =>
  eventually(async () => expect(await element.evaluate((it) => it === document.activeElement)).toBe(true));
