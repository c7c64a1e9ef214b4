/*
 * busboy 1.6: replaces `_hparser`, its reader of the headers of parts, and the reader's `cb`.
 * Reason: busboy decodes a text with the charset of its part, and no event has that charset.
 * tests/unit/patches/busboy-part-headers.test.ts fails when an event has it, or the headers are read in another place.
 */
import type { Busboy } from 'busboy';

export type PartHeaders = Readonly<Record<string, string[] | undefined>>;

interface HeaderParser {
  cb(headers: PartHeaders): void;
}

/**
 * Watches the headers of every part of a multipart body, before busboy decodes the part.
 * @param listener called after the event `file` of a part that is a file
 */
export function onPartHeaders(
  parser: Busboy,
  listener: (headers: PartHeaders, isFile: boolean) => void,
): void {
  let files = 0;
  parser.on('file', () => {
    files += 1;
  });
  const watch = (headerParser: HeaderParser) => {
    const { cb } = headerParser;
    headerParser.cb = (headers) => {
      const filesBefore = files;
      cb.call(headerParser, headers);
      listener(headers, files > filesBefore);
    };
  };
  let current: HeaderParser | null = null;
  let isWatched = false;
  // busboy has one reader for all parts. It sets this property at the beginning of each part and clears it at the end.
  Object.defineProperty(parser, '_hparser', {
    get: () => current,
    set: (headerParser: HeaderParser | null) => {
      if (headerParser && !isWatched) {
        watch(headerParser);
      }
      isWatched ||= headerParser !== null;
      current = headerParser;
    },
  });
}
