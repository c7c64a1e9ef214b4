import { setImmediate as afterInput } from 'node:timers/promises';
import type { Response } from 'express';

/** Characters that are encoded without a break. It takes 2 ms, and up to three bytes each. */
const PART_CHARACTERS = 250_000;

/** True for an answer whose text takes long to encode: 30 ms for three million Chinese characters. */
export const isLong = (text: string): boolean => text.length > PART_CHARACTERS;

/** Sends a long text. Its parts are encoded in turns with other requests, and sent when the length of all is known. */
export async function sendInTurns(res: Response, text: string): Promise<void> {
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
