import { decodeImage, type IFD, toRGBA8 } from 'utif2';
import { DrawingError, MAX_PIXELS } from './drawing.ts';

/*
 * utif2 decodes the pixels. It does not read the directories: it follows one that leads to itself for ever, and believes every number of
 * values.
 */

const MAX_PAGES = 1_000;
/** The bytes of a value by its type (TIFF 6.0, section 2). Others are not needed to draw a picture. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 7: 1 };
/** The values by their tag, such as `t256`. */
type Directory = Record<string, number[]>;

/**
 * The pages of a TIFF.
 * @throws DrawingError; RangeError if it ends too early
 */
export function readDirectories(buffer: ArrayBuffer): Directory[] {
  const view = new DataView(buffer);
  const isLittle = view.getUint16(0) === 0x4949;
  if (view.getUint16(2, isLittle) !== 42) {
    throw new DrawingError('DAMAGED');
  }
  const offsets = new Set<number>();
  const directories: Directory[] = [];
  let values = 0;
  for (let offset = view.getUint32(4, isLittle); offset !== 0; ) {
    const count = view.getUint16(offset, isLittle);
    const directory: Directory = {};
    for (let entry = offset + 2; entry < offset + 2 + 12 * count; entry += 12) {
      const size = TYPE_BYTES[view.getUint16(entry + 2, isLittle)];
      const length = view.getUint32(entry + 4, isLittle);
      if (size && (values + length) * size <= buffer.byteLength) {
        values += length;
        const at = length * size <= 4 ? entry + 8 : view.getUint32(entry + 8, isLittle);
        directory[`t${view.getUint16(entry, isLittle)}`] = Array.from({ length }, (_, index) =>
          read(view, at + index * size, size, isLittle),
        );
      }
    }
    directories.push(directory);
    offsets.add(offset);
    offset = view.getUint32(offset + 2 + 12 * count, isLittle);
    if (offsets.has(offset) || directories.length >= MAX_PAGES) {
      break;
    }
  }
  return directories.filter(({ t256 }) => t256);
}

const read = (view: DataView, offset: number, size: number, isLittle: boolean): number =>
  size === 1
    ? view.getUint8(offset)
    : size === 2
      ? view.getUint16(offset, isLittle)
      : view.getUint32(offset, isLittle);

/**
 * Decodes a page.
 * @returns its pixels, and how the camera was held (1 to 8; TIFF 6.0, Orientation)
 * @throws DrawingError
 */
export function decodePage(
  buffer: ArrayBuffer,
  directory: Directory,
): { image: ImageData; orientation: number } {
  const first = (tag: number, absent: number) => directory[`t${tag}`]?.[0] ?? absent;
  const [width, height] = [first(256, 0), first(257, 0)];
  const samplesBytes = Math.ceil((first(258, 1) * first(277, 1)) / 8);
  // A sample may have up to eight bytes, and a tile may be larger than its picture.
  const pixels = Math.max(width * height, first(322, 0) * first(323, 0));
  if (pixels * Math.max(samplesBytes / 8, 1) > MAX_PIXELS) {
    throw new DrawingError('PIXELS');
  }
  const page = { ...directory } as unknown as IFD;
  decodeImage(buffer, page);
  if (!page.data?.length) {
    throw new DrawingError('DAMAGED');
  }
  const image = new ImageData(new Uint8ClampedArray(toRGBA8(page)), width, height);
  return { image, orientation: first(274, 1) };
}
