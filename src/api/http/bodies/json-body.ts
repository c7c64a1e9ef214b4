import { isUtf8 } from 'node:buffer';
import type { RequestHandler } from 'express';
import { BadRequestError } from '../../../system/errors.ts';
import { type BodyParts, bufferedBody } from './buffered-body.ts';

export const JSON_TYPE = 'application/json';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Refuses bytes that are not UTF-8 (RFC 8259 section 8.1). They would all be read as U+FFFD: the account would get another
 * name than the sender wrote, and another password would fit.
 * @returns an empty object for an empty body
 */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) {
    return {};
  }
  if (!isUtf8(body)) {
    throw notJson();
  }
  const text = body.toString();
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw notJson(error);
  }
}

const notJson = (cause?: unknown) => new BadRequestError('The request body is not valid JSON.', { cause });

/** Reads a JSON body of any shape. A value that is not an object is treated as one without fields. */
export const jsonBody = (parts: BodyParts): RequestHandler =>
  bufferedBody({ types: [JSON_TYPE], parse: parseJson, ...parts });
