import JSZip from 'jszip';
import mammoth from 'mammoth';
import { DrawingError, MAX_BYTES, type Opened, type Source, serve } from './drawing.ts';

/** Its types do not have the function that unpacks piece by piece: https://stuk.github.io/jszip/documentation/api_zipobject/internal_stream.html */
interface Entry {
  internalStream(type: 'uint8array'): Unpacking;
}
interface Unpacking {
  on(event: 'data', listener: (piece: Uint8Array) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
  on(event: 'end', listener: () => void): this;
  pause(): void;
  resume(): void;
}

/** Of the parts that are parsed: their tree takes a hundred times as much. */
const MAX_XML_BYTES = 8_000_000;
const MAX_TEXT_LENGTH = 500_000;

/**
 * Unpacks everything once, to count: the sizes that an archive states may be false, and neither JSZip nor mammoth has a limit. JSZip does
 * it for both, so that no other reader can see another archive.
 * @throws DrawingError
 */
async function requireSmall(bytes: ArrayBuffer): Promise<void> {
  const archive = await JSZip.loadAsync(bytes);
  let left = MAX_BYTES;
  let xmlLeft = MAX_XML_BYTES;
  for (const entry of Object.values(archive.files)) {
    const isXml = !/\.(?:png|jpe?g|gif|emf|wmf|tiff?|bin|ttf|odttf)$/i.test(entry.name);
    await new Promise<void>((resolve, reject) => {
      const stream = (entry as unknown as Entry).internalStream('uint8array');
      stream
        .on('data', ({ length }) => {
          left -= length;
          xmlLeft -= isXml ? length : 0;
          if (left < 0 || xmlLeft < 0) {
            stream.pause();
            reject(new DrawingError('INFLATED'));
          }
        })
        .on('error', reject)
        .on('end', () => resolve())
        .resume();
    });
  }
}

async function open({ bytes }: Source): Promise<Opened> {
  await requireSmall(bytes);
  const { value } = await mammoth.extractRawText({ arrayBuffer: bytes });
  return { pages: 0, text: value.slice(0, MAX_TEXT_LENGTH).trim() };
}

serve({ open });
