import type { Bilingual } from '../language.tsx';

/*
 * What the page and its workers say to each other. A worker draws the files of strangers, so the page believes nothing of it but that a
 * picture is a picture, a text a text and a problem one of these.
 */

/** Why a document is not shown. */
export const PROBLEMS = {
  TYPE: [
    'Documents of this type can only be shown by another program.',
    'Dokumente dieser Art kann nur ein anderes Programm anzeigen.',
  ],
  UNREACHABLE: ['The gateway did not send it.', 'Der Dienst hat es nicht gesendet.'],
  BYTES: ['It has more than 64 MB.', 'Es hat mehr als 64 MB.'],
  PIXELS: ['It has more than 64 million pixels.', 'Es hat mehr als 64 Millionen Bildpunkte.'],
  INFLATED: ['It unpacks to more than 64 MB.', 'Entpackt hat es mehr als 64 MB.'],
  LOCKED: ['It has a password.', 'Es hat ein Passwort.'],
  DAMAGED: [
    'It is damaged, or something else than its name says.',
    'Es ist beschädigt oder etwas anderes, als sein Name sagt.',
  ],
  SLOW: ['It took longer than 30 seconds.', 'Es hat länger als 30 Sekunden gedauert.'],
  FAILED: [
    'The program that draws it failed. Load this page again.',
    'Das Programm dafür ist ausgefallen. Laden Sie diese Seite neu.',
  ],
} satisfies Record<string, Bilingual>;
export type Problem = keyof typeof PROBLEMS;

export class DrawingError extends Error {
  constructor(readonly problem: Problem) {
    super(problem);
  }
}

/** Of a document, and of all that is in a ZIP archive. */
export const MAX_BYTES = 64_000_000;
/** Of a picture that is decoded. A telephone's has 48 million. */
export const MAX_PIXELS = 64_000_000;
/** Of a page that is drawn, at any zoom. */
export const MAX_DRAWN_PIXELS = 16_000_000;
/** How long a worker may take for an answer, in milliseconds. */
export const MAX_MILLIS = 30_000;

/** A line of text in a page of a PDF. Lengths are parts of the height of the page, `left` of its width. */
export interface Line {
  text: string;
  left: number;
  top: number;
  height: number;
  /** How much wider it is than in the font of the text layer. */
  stretch: number;
  /** In radians. */
  angle: number;
}

export interface Opened {
  pages: number;
  /** The text of a document that has no pages. */
  text?: string;
}

export interface Drawn {
  bitmap: ImageBitmap;
  lines: readonly Line[];
}

/** What to draw. */
export interface Sheet {
  /** From 1. */
  page: number;
  /** How wide it is to be, in pixels. It may become smaller. */
  width: number;
  /** Clockwise, in degrees: 0, 90, 180 or 270. */
  turn: number;
}

/** What a worker opens. */
export interface Source {
  bytes: ArrayBuffer;
  /** The media type. */
  type: string;
  /** The address of a program that the worker loads when it needs it. */
  program: string;
}

export type Call = { id: number } & ({ open: Source } | { draw: Sheet });
export type Answer = { id: number } & ({ result: Opened | Drawn } | { problem: Problem });

/** What a worker does. */
interface Drawer {
  open(source: Source): Promise<Opened>;
  draw?(sheet: Sheet): Promise<Drawn>;
}

/** Answers the calls of the page, in a worker. */
export function serve({ open, draw }: Drawer): void {
  const run = async (call: Call) => ('open' in call ? open(call.open) : draw?.(call.draw));
  addEventListener('message', ({ data }: MessageEvent<Call>) => {
    if (!('id' in data)) {
      return;
    }
    const { id } = data;
    run(data).then(
      (result) =>
        postMessage({ id, result }, { transfer: result && 'bitmap' in result ? [result.bitmap] : [] }),
      (error: unknown) => postMessage({ id, problem: problemOf(error) }),
    );
  });
}

const problemOf = (error: unknown): Problem => (error instanceof DrawingError ? error.problem : 'DAMAGED');

/** The largest size of these proportions that is not wider than `maxWidth` and has not too many pixels. */
export function fitted(width: number, height: number, maxWidth: number): { width: number; height: number } {
  const scale = Math.min(maxWidth / width, Math.sqrt(MAX_DRAWN_PIXELS / (width * height)));
  const side = (length: number) => Math.min(Math.max(Math.floor(length * scale), 1), MAX_SIDE);
  return { width: side(width), height: side(height) };
}

/** The longest side of a canvas that every browser draws. */
const MAX_SIDE = 8_192;
