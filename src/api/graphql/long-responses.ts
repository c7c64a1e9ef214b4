import { setImmediate as afterInput } from 'node:timers/promises';
import type { Response } from 'express';

/*
 * A long response is resolved and encoded in parts, and other requests are served between them.
 */

/** Items whose fields are resolved without a break. With all fields of a token or an event, it takes about a millisecond. */
const BATCH_ITEMS = 25;

/**
 * A long list for a resolver. graphql-js would resolve the fields of all its items without a break, and no other request
 * would be served meanwhile.
 * @param batchItems how many items are resolved without a break; fewer if they have many fields
 */
export function inBatches<T>(items: readonly T[], batchItems = BATCH_ITEMS): Promise<T>[] {
  let batch = Promise.resolve();
  return items.map((item, index) => {
    if (index > 0 && index % batchItems === 0) {
      batch = batch.then(() => afterInput());
    }
    return batch.then(() => item);
  });
}

/** Characters that are encoded without a break. It takes 2 ms, and up to three bytes each. */
const PART_CHARACTERS = 250_000;

/** True for a response whose text takes long to encode: 30 ms for three million Chinese characters. */
export const isLong = (text: string): boolean => text.length > PART_CHARACTERS;

/** Sends a long text. Its parts are encoded one after another, and sent when the length of all is known. */
export async function sendInParts(res: Response, text: string): Promise<void> {
  const parts: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPart(text, start);
    parts.push(Buffer.from(text.slice(start, end)));
    start = end;
    await afterInput();
  }
  res.setHeader(
    'Content-Length',
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  for (const part of parts) {
    res.write(part);
  }
  res.end();
}

/** Not inside a surrogate pair, whose halves cannot be encoded alone. */
function endOfPart(text: string, start: number): number {
  const end = start + PART_CHARACTERS;
  const isInPair = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return isInPair ? end - 1 : end;
}
