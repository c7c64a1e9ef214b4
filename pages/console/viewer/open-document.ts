import libheif from 'libheif-js/libheif-wasm/libheif-bundle.mjs?url';
import pdfCore from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import DocxWorker from './docx.worker.ts?worker';
import {
  type Answer,
  type Call,
  DrawingError,
  type Drawn,
  MAX_BYTES,
  MAX_MILLIS,
  type Opened,
  PROBLEMS,
  type Problem,
  type Sheet,
} from './drawing.ts';
import PdfWorker from './pdf.worker.ts?worker';
import PictureWorker from './picture.worker.ts?worker';

/** A document that a worker has read. */
export interface OpenDocument extends Opened {
  /** @throws DrawingError */
  draw(sheet: Sheet): Promise<Drawn>;
}

interface Kind {
  type: string;
  Drawing: new () => Worker;
  /** What the worker loads when it needs it. */
  program: string;
}

const picture = (type: string): Kind => ({ type, Drawing: PictureWorker, program: libheif });

/** What draws a document, by the extension of its name. There is no program here for `doc`. */
const KINDS = new Map<string, Kind>(
  Object.entries({
    pdf: { type: 'application/pdf', Drawing: PdfWorker, program: pdfCore },
    docx: { type: 'application/zip', Drawing: DocxWorker, program: '' },
    png: picture('image/png'),
    jpg: picture('image/jpeg'),
    jpeg: picture('image/jpeg'),
    webp: picture('image/webp'),
    heic: picture('image/heic'),
    tif: picture('image/tiff'),
    tiff: picture('image/tiff'),
  }),
);

/**
 * Reads a document into a worker. The page itself neither parses nor draws it, also when the worker fails.
 * @param path relative to this page
 * @param signal ends the worker
 * @throws DrawingError that says why it cannot be shown
 */
export async function openDocument(path: string, signal: AbortSignal): Promise<OpenDocument> {
  const extension = /\.(\w+)(?:\?|$)/.exec(path)?.[1]?.toLowerCase() ?? '';
  const kind = KINDS.get(extension);
  if (!kind) {
    throw new DrawingError('TYPE');
  }
  const bytes = await load(path, signal);
  // Another doctor may be shown by now.
  signal.throwIfAborted();
  const worker = new DrawingWorker(new kind.Drawing());
  signal.addEventListener('abort', () => worker.end('FAILED'));
  const { type, program } = kind;
  // Its address is relative to the page, and the worker is in another folder.
  const source = { bytes, type, program: program && new URL(program, location.href).href };
  const opened = (await worker.call({ open: source }, [bytes])) as Opened;
  return { ...opened, draw: async (sheet) => (await worker.call({ draw: sheet })) as Drawn };
}

async function load(path: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(path, { credentials: 'omit', signal }).catch(() => undefined);
  if (!response?.ok || !response.body) {
    throw new DrawingError('UNREACHABLE');
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new DrawingError('UNREACHABLE');
    });
    if (done) {
      return new Blob(chunks).arrayBuffer();
    }
    size += value.length;
    if (size > MAX_BYTES) {
      await reader.cancel();
      throw new DrawingError('BYTES');
    }
    chunks.push(value);
  }
}

interface Waiting {
  resolve(result: Opened | Drawn): void;
  reject(error: DrawingError): void;
  timer: ReturnType<typeof setTimeout>;
}

/** A worker that is ended when it fails or does not answer in time. */
class DrawingWorker {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended: Problem | undefined;

  constructor(private readonly worker: Worker) {
    worker.addEventListener('message', ({ data }: MessageEvent<Answer | { file: string }>) =>
      'file' in data ? void this.#sendFile(data.file) : this.#settle(data),
    );
    worker.addEventListener('messageerror', () => this.end('FAILED'));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.end('FAILED');
    });
  }

  /** @throws DrawingError */
  call(call: Omit<Call, 'id'>, transfer: Transferable[] = []): Promise<Opened | Drawn> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        return reject(new DrawingError(this.#ended));
      }
      this.#lastId += 1;
      const timer = setTimeout(() => this.end('SLOW'), MAX_MILLIS);
      this.#waiting.set(this.#lastId, { resolve, reject, timer });
      this.worker.postMessage({ ...call, id: this.#lastId }, transfer);
    });
  }

  end(problem: Problem): void {
    this.#ended ??= problem;
    this.worker.terminate();
    for (const id of this.#waiting.keys()) {
      this.#settle({ id, problem });
    }
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    clearTimeout(waiting?.timer);
    if ('problem' in answer) {
      waiting?.reject(new DrawingError(Object.hasOwn(PROBLEMS, answer.problem) ? answer.problem : 'FAILED'));
    } else {
      waiting?.resolve(answer.result);
    }
  }

  /** A worker reaches no network: the page loads the fonts and tables of characters of PDFs that have not their own. */
  async #sendFile(name: string): Promise<void> {
    const { pdfFiles } = await import('./pdf-files.ts');
    const address = Object.hasOwn(pdfFiles, name) ? pdfFiles[name] : undefined;
    const response = address === undefined ? undefined : await fetch(address).catch(() => undefined);
    const bytes = response?.ok ? await response.arrayBuffer().catch(() => undefined) : undefined;
    this.worker.postMessage({ file: name, bytes }, bytes ? [bytes] : []);
  }
}
