import { element } from '../../element.ts';

/** Pictures that every browser draws, and PDF. All other types can only be opened with another program. */
const PICTURE = /\.(?:png|jpe?g|webp)$/i;
const PDF = /\.pdf$/i;

/** Addresses of PDFs in memory, as long as they are shown. */
let shown: string[] = [];

/** Lets go of all documents that are shown. Call it before others are. */
export function releaseDocuments(): void {
  for (const url of shown) {
    URL.revokeObjectURL(url);
  }
  shown = [];
}

/** A document that can be read without leaving the page, with a link to it. */
export function documentView(name: string, url: string | null): HTMLElement {
  const caption = element('figcaption', {}, name);
  if (url === null) {
    return element('figure', {}, caption, element('p', { class: 'hint' }, 'There is none.'));
  }
  const link = element(
    'a',
    { href: url, target: '_blank', rel: 'noopener noreferrer' },
    `Open ${name.toLowerCase()}`,
  );
  return element('figure', {}, caption, preview(name, url), link);
}

function preview(name: string, url: string): HTMLElement {
  const { pathname } = new URL(url);
  if (PICTURE.test(pathname)) {
    return element('img', { src: ownAddress(url), alt: name });
  }
  if (PDF.test(pathname)) {
    const frame = element('div', { class: 'paper' }, element('p', { class: 'hint' }, 'Loading…'));
    showPdf(frame, name, url);
    return frame;
  }
  return element('p', { class: 'paper hint' }, 'This type can only be shown by another program.');
}

/**
 * Shows a PDF in a frame. The gateway sends documents with a sandboxing Content-Security-Policy, in which no browser shows a
 * PDF. A copy in memory, which can be nothing else than a PDF, is shown by the browser's own viewer.
 */
async function showPdf(frame: HTMLElement, name: string, url: string): Promise<void> {
  const bytes = await load(url);
  if (bytes === undefined) {
    frame.replaceChildren(element('p', { class: 'hint' }, 'The document cannot be loaded.'));
    return;
  }
  // Another doctor may be shown by now.
  if (frame.isConnected) {
    const copy = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }));
    shown.push(copy);
    frame.replaceChildren(element('iframe', { src: copy, title: name }));
  }
}

async function load(url: string): Promise<ArrayBuffer | undefined> {
  try {
    const response = await fetch(ownAddress(url));
    return response.ok ? await response.arrayBuffer() : undefined;
  } catch {
    return undefined;
  }
}

/** The address of a document at the page's own origin, which passes `/storage` on to the gateway (vite.config.ts). */
function ownAddress(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.slice(pathname.indexOf('/storage/')) + search;
}
