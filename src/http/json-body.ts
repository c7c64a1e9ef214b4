import express, { type RequestHandler } from 'express';

/** More than any request of this service needs; documents come as multipart. */
const MAX_JSON_BYTES = 102_400;

/** Reads a JSON body of any shape: what is not an object simply has no fields, and is answered as such. */
export const jsonBody = (): RequestHandler => express.json({ limit: MAX_JSON_BYTES, strict: false });
