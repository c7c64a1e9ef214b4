import {
  DrawingError,
  type Drawn,
  fitted,
  MAX_PIXELS,
  type Opened,
  type Sheet,
  type Source,
  serve,
} from './drawing.ts';
import { pictureSize, type Size } from './picture-size.ts';
import { decodePage, readDirectories } from './tiff.ts';

/** Decodes a page, from 0. */
type Decode = (page: number) => Promise<ImageBitmap>;

function requireFew({ width, height }: Size): void {
  if (!(width > 0 && height > 0)) {
    throw new DrawingError('DAMAGED');
  }
  if (width * height > MAX_PIXELS) {
    throw new DrawingError('PIXELS');
  }
}

/** What the browser decodes itself. It turns the picture as its EXIF says. */
function ofBrowser({ bytes, type }: Source): { pages: number; decode: Decode } {
  const size = pictureSize(bytes);
  if (!size) {
    throw new DrawingError('DAMAGED');
  }
  requireFew(size);
  return { pages: 1, decode: () => createImageBitmap(new Blob([bytes], { type })) };
}

function ofTiff({ bytes }: Source): { pages: number; decode: Decode } {
  const directories = readDirectories(bytes);
  const decode: Decode = async (page) => {
    const { image, orientation } = decodePage(bytes, directories[page] ?? {});
    return oriented(await createImageBitmap(image), orientation);
  };
  return { pages: directories.length, decode };
}

/** Mirrors and turns a picture (TIFF 6.0, Orientation): how often it is turned by 90 degrees, and whether it is mirrored before. */
const TURNS: Readonly<Record<number, readonly [quarters: number, isMirrored: boolean]>> = {
  2: [0, true],
  3: [2, false],
  4: [2, true],
  5: [1, true],
  6: [1, false],
  7: [3, true],
  8: [3, false],
};

function oriented(bitmap: ImageBitmap, orientation: number): ImageBitmap {
  const [quarters, isMirrored] = TURNS[orientation] ?? [0, false];
  return quarters === 0 && !isMirrored ? bitmap : turned(bitmap, bitmap, 90 * quarters, isMirrored);
}

/** @param size of the picture before it is turned */
function turned(
  bitmap: ImageBitmap,
  { width, height }: Size,
  degrees: number,
  isMirrored = false,
): ImageBitmap {
  const isUpright = degrees % 180 === 0;
  const canvas = new OffscreenCanvas(isUpright ? width : height, isUpright ? height : width);
  const context = canvas.getContext('2d');
  context?.translate(canvas.width / 2, canvas.height / 2);
  context?.rotate((degrees * Math.PI) / 180);
  context?.scale(isMirrored ? -1 : 1, 1);
  context?.drawImage(bitmap, -width / 2, -height / 2, width, height);
  return canvas.transferToImageBitmap();
}

interface HeifImage {
  get_width(): number;
  get_height(): number;
  is_primary(): boolean;
  display(target: ImageData, done: (decoded: ImageData | null) => void): void;
}
/** https://github.com/strukturag/libheif/blob/master/post.js */
interface Libheif {
  HeifDecoder: new () => { decode(bytes: ArrayBuffer): HeifImage[]; decoder: object };
}

/** libheif turns the picture as the file says. It is loaded as it is, so that it can be replaced (LGPL). */
async function ofHeif({ bytes, program }: Source): Promise<{ pages: number; decode: Decode }> {
  const { default: start } = (await import(/* @vite-ignore */ program).catch(() => {
    throw new DrawingError('FAILED');
  })) as { default(): Libheif };
  const images = new (start().HeifDecoder)().decode(bytes);
  images.sort((one, other) => Number(other.is_primary()) - Number(one.is_primary()));
  const decode: Decode = async (page) => {
    const image = images[page];
    const size = { width: image?.get_width() ?? 0, height: image?.get_height() ?? 0 };
    requireFew(size);
    const decoded = await new Promise<ImageData | null>((resolve) =>
      image?.display(new ImageData(size.width, size.height), resolve),
    );
    if (!decoded) {
      throw new DrawingError('DAMAGED');
    }
    return createImageBitmap(decoded);
  };
  return { pages: images.length, decode };
}

let decode: Decode;
let shown: { page: number; bitmap: ImageBitmap } | undefined;

const READERS: Readonly<Record<string, typeof ofHeif>> = {
  'image/heic': ofHeif,
  'image/tiff': async (source) => ofTiff(source),
};

async function open(source: Source): Promise<Opened> {
  const picture = await (READERS[source.type] ?? (async () => ofBrowser(source)))(source);
  if (picture.pages === 0) {
    throw new DrawingError('DAMAGED');
  }
  decode = picture.decode;
  return { pages: picture.pages };
}

async function draw({ page, width: maxWidth, turn }: Sheet): Promise<Drawn> {
  if (shown?.page !== page) {
    shown?.bitmap.close();
    // A page that cannot be decoded leaves none behind.
    shown = undefined;
    shown = { page, bitmap: await decode(page - 1) };
  }
  const { bitmap } = shown;
  const { width, height } = turn % 180 === 0 ? bitmap : { width: bitmap.height, height: bitmap.width };
  // Not larger than it is: the page stretches it.
  const size = fitted(width, height, Math.min(maxWidth, width));
  const upright = turn % 180 === 0 ? size : { width: size.height, height: size.width };
  return { bitmap: turned(bitmap, upright, turn), lines: [] };
}

serve({ open, draw });
