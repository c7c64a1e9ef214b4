/*
 * Transcripts: what is asked and what is answered, as a person reads it.
 *
 *   ### login: a wrong password             the name; "### 10 x login: ..." is asked ten times
 *   POST /api/v1/auth/login                 method and path
 *   Content-Type: application/json          headers, sent as they stand
 *
 *   {"email":"{{email:pat}}", ...           the body; of a form, one field a line: see form.js
 *
 *   HTTP 401                                the answer: the status, without its words, which HTTP/2 does not have
 *   Content-Type: application/json          all of COMPARED_HEADERS that it has, and no others
 *
 *   {"message":"Invalid credentials"}       the body, to the byte
 *
 * What varies is in {{ }}: see varying.js. Lines before the first ### are for the reader.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The headers that callers act on. One of these that is not in the transcript must not be in the answer either. */
export const COMPARED_HEADERS = [
  'Content-Type',
  'WWW-Authenticate',
  'Allow',
  'Location',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/**
 * @typedef {{ status: number, headers: Record<string, string>, body: string }} Answer headers by their names in
 *   COMPARED_HEADERS
 * @typedef {{ name: string, times: number, request: string, method: string, path: string,
 *   headers: Record<string, string>, body: string, expected: Answer }} Exchange `request` is the whole of it as written
 */

/**
 * Reads all transcripts of a folder, in the order of their names.
 * @param {URL} folder
 * @returns {Exchange[]}
 */
export const readTranscripts = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.http'))
    .sort()
    .flatMap((file) => parseTranscript(readFileSync(new URL(file, folder), 'utf8')));

/** @returns {Exchange[]} */
function parseTranscript(text) {
  const [, ...exchanges] = text.split(/^### /m);
  return exchanges.map(parseExchange);
}

function parseExchange(text) {
  const parts = /^(?:(\d+) x )?(.+)\n([\s\S]+?)\n(?=HTTP \d{3}\n)([\s\S]+)$/.exec(text);
  if (!parts) {
    throw new Error(`a request and its answer were expected in: ${text}`);
  }
  const [, times = '1', name, request, answer] = parts;
  const asked = parseMessage(request.trimEnd());
  const [method, path] = asked.start.split(' ');
  const { start, headers, body } = parseMessage(answer.trimEnd());
  const expected = { status: Number(start.slice('HTTP '.length)), headers, body };
  return { name, times: Number(times), request: request.trimEnd(), ...asked, method, path, expected };
}

/** Takes a request or an answer apart: its first line, its headers, and its body after a blank line. */
function parseMessage(text) {
  const [head, ...rest] = text.split('\n\n');
  const [start, ...lines] = head.split('\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { start, headers, body: rest.join('\n\n') };
}

/**
 * An answer as a transcript spells it.
 * @param {Answer} answer
 */
export const formatAnswer = ({ status, headers, body }) => {
  const lines = COMPARED_HEADERS.filter((name) => name in headers).map((name) => `${name}: ${headers[name]}`);
  return [`HTTP ${status}`, ...lines, ...(body === '' ? [] : ['', body])].join('\n');
};
