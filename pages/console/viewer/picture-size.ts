/** The size of a picture in pixels. */
export interface Size {
  width: number;
  height: number;
}

const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));

/**
 * The size of a PNG, JPEG or WebP, from its first bytes: to decode it would take the memory first.
 * @returns undefined for everything else
 * @throws RangeError if it ends too early
 */
export function pictureSize(buffer: ArrayBuffer): Size | undefined {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  if (ascii(bytes, 1, 4) === 'PNG') {
    return { width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') {
    return webpSize(ascii(bytes, 12, 16), view);
  }
  return view.getUint16(0) === 0xffd8 ? jpegSize(view) : undefined;
}

/** RFC 9649, section 2.5 to 2.7. */
function webpSize(chunk: string, view: DataView): Size | undefined {
  if (chunk === 'VP8X') {
    const side = (offset: number) => (view.getUint32(offset, true) & 0xffffff) + 1;
    return { width: side(24), height: side(27) };
  }
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  const side = (offset: number) => view.getUint16(offset, true) & 0x3fff;
  return chunk === 'VP8 ' ? { width: side(26), height: side(28) } : undefined;
}

/** Looks for the start of a frame (ITU T.81, annex B). */
function jpegSize(view: DataView): Size {
  for (let offset = 2; ; ) {
    const marker = view.getUint16(offset);
    if (marker === 0xffff) {
      offset += 1;
    } else if (marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)) {
      return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
    } else {
      offset += 2 + view.getUint16(offset + 2);
    }
  }
}
