import { getDocument, type PDFDocumentProxy, PDFWorker, Util } from 'pdfjs-dist/legacy/build/pdf.mjs';
import {
  DrawingError,
  type Drawn,
  fitted,
  type Line,
  MAX_PIXELS,
  type Opened,
  type Sheet,
  type Source,
  serve,
} from './drawing.ts';

/*
 * The core of pdf.js, in two workers: another one reads the document, and this one draws it. Without both pdf.js would do it where it
 * is called. No script, link, form or attachment of a document does anything: these are other parts of pdf.js, which are not here.
 */

const MAX_LINES = 5_000;
const MAX_LINE_LENGTH = 1_000;

type FileResolver = (bytes: ArrayBuffer | undefined) => void;
const awaitedFiles = new Map<string, FileResolver[]>();
addEventListener('message', ({ data }: MessageEvent<{ file?: string; bytes?: ArrayBuffer }>) => {
  const { file = '', bytes } = data;
  for (const resolve of awaitedFiles.get(file) ?? []) {
    resolve(bytes?.slice(0));
  }
  awaitedFiles.delete(file);
});

/** Asks the page, because this worker reaches no network. */
class PageFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const bytes = await new Promise<ArrayBuffer | undefined>((resolve) => {
      const others = awaitedFiles.get(filename);
      awaitedFiles.set(filename, [...(others ?? []), resolve]);
      if (!others) {
        postMessage({ file: filename });
      }
    });
    if (!bytes) {
      throw new Error(`no file ${filename}`);
    }
    return new Uint8Array(bytes);
  }
}

interface CanvasAndContext {
  canvas: OffscreenCanvas | null;
  context: OffscreenCanvasRenderingContext2D | null;
}

/** As pdf.js does it with elements of a page. */
class OffscreenCanvases {
  create(width: number, height: number): CanvasAndContext {
    const canvas = new OffscreenCanvas(width, height);
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) };
  }

  reset({ canvas }: CanvasAndContext, width: number, height: number): void {
    Object.assign(canvas ?? {}, { width, height });
  }

  destroy(entry: CanvasAndContext): void {
    this.reset(entry, 0, 0);
    Object.assign(entry, { canvas: null, context: null });
  }
}

/** Filters are SVG elements of a page, which a worker does not have. */
class NoFilters {
  addFilter = () => 'none';
  addHCMFilter = () => 'none';
  addAlphaFilter = () => 'none';
  addLuminosityFilter = () => 'none';
  addHighlightHCMFilter = () => 'none';
  destroy = () => {};
}

let document: PDFDocumentProxy;

async function open({ bytes, program }: Source): Promise<Opened> {
  const core = new Worker(program, { type: 'module' });
  const failure = new Promise<never>((_resolve, reject) => {
    core.addEventListener('error', (event) => {
      event.preventDefault();
      reject(new DrawingError('FAILED'));
    });
  });
  const task = getDocument({
    data: new Uint8Array(bytes),
    worker: new PDFWorker({ port: core as unknown as null, verbosity: 0 }),
    useWorkerFetch: false,
    isEvalSupported: false,
    useSystemFonts: false,
    maxImageSize: MAX_PIXELS,
    cMapUrl: 'cmaps/',
    standardFontDataUrl: 'standard_fonts/',
    wasmUrl: 'wasm/',
    CanvasFactory: OffscreenCanvases,
    FilterFactory: NoFilters,
    BinaryDataFactory: PageFiles,
    // The only part of a page that pdf.js needs.
    ownerDocument: { fonts: (self as unknown as { fonts: FontFaceSet }).fonts } as unknown as HTMLDocument,
    verbosity: 0,
  });
  document = await Promise.race([task.promise, failure]).catch((error: unknown) => {
    throw error instanceof Error && error.name === 'PasswordException' ? new DrawingError('LOCKED') : error;
  });
  return { pages: document.numPages };
}

async function draw({ page: number, width: maxWidth, turn }: Sheet): Promise<Drawn> {
  const page = await document.getPage(number);
  const rotation = (page.rotate + turn) % 360;
  const whole = page.getViewport({ scale: 1, rotation });
  const { width, height } = fitted(whole.width, whole.height, maxWidth);
  const viewport = page.getViewport({ scale: width / whole.width, rotation });
  const canvas = new OffscreenCanvas(width, height);
  // Its types know elements alone.
  await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport }).promise;
  const { items } = await page.getTextContent();
  const lines = items
    .slice(0, MAX_LINES)
    .flatMap((item) => ('str' in item && item.str.trim() ? [lineOf(item, viewport)] : []));
  page.cleanup();
  return { bitmap: canvas.transferToImageBitmap(), lines };
}

const ruler = new OffscreenCanvas(1, 1).getContext('2d');

/** Where a line of text is, so that it can be selected and read aloud. */
function lineOf(
  { str, width, transform }: { str: string; width: number; transform: number[] },
  viewport: { width: number; height: number; scale: number; transform: number[] },
): Line {
  const text = str.slice(0, MAX_LINE_LENGTH);
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = Util.transform(viewport.transform, transform);
  const fontHeight = Math.hypot(c, d);
  const angle = Math.atan2(b, a);
  Object.assign(ruler ?? {}, { font: `${fontHeight}px sans-serif` });
  const natural = ruler?.measureText(text).width || 1;
  return {
    text,
    left: (x + fontHeight * Math.sin(angle)) / viewport.width,
    top: (y - fontHeight * Math.cos(angle)) / viewport.height,
    height: fontHeight / viewport.height,
    stretch: (width * viewport.scale) / natural,
    angle,
  };
}

serve({ open, draw });
