import * as http from 'node:http';
import * as https from 'node:https';
import { encodeForm } from './form.js';
import { COMPARED_HEADERS } from './transcript.js';
import { normaliseHeader } from './varying.js';

/** Far more than any answer of this contract. */
const LONGEST_ANSWER_BYTES = 1_048_576;

/** There was no answer at all. */
export class NoAnswerError extends Error {}

/**
 * Sends the request of an exchange as it is written. Nothing is added but Host, Content-Length, Connection and a form's
 * boundary; redirects are not followed.
 * @param {URL} base the service; a path in it comes before those of the transcripts
 * @param {import('./transcript.js').Exchange} exchange
 * @param {import('./varying.js').Varying} varying
 * @param {number} patienceSeconds
 * @returns {Promise<import('./transcript.js').Answer>} with the body as it came, and of the headers those compared
 * @throws {NoAnswerError} when the service cannot be reached, is silent for so long, or does not come to an end
 * @throws {import('./varying.js').MissingValueError}
 */
export async function send(base, exchange, varying, patienceSeconds) {
  const { method, path } = exchange;
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).map(([name, value]) => [name, varying.expand(value)]),
  );
  const text = varying.expand(exchange.body);
  const isForm = headers['Content-Type'] === 'multipart/form-data';
  const form = isForm ? encodeForm(text) : undefined;
  if (form) {
    headers['Content-Type'] = form.contentType;
  }
  const body = form?.bytes ?? Buffer.from(text);
  if (method !== 'GET') {
    headers['Content-Length'] = body.length;
  }
  const target = new URL(base.pathname.replace(/\/$/, '') + path, base);
  return request(target, { method, headers }, body, patienceSeconds);
}

function request(target, options, body, patienceSeconds) {
  const patienceMillis = patienceSeconds * 1000;
  return new Promise((resolve, reject) => {
    const { Agent, request: open } = target.protocol === 'https:' ? https : http;
    // A connection that is kept open, as those of most callers are, but for this one request.
    const agent = new Agent({ keepAlive: true });
    const req = open(target, { ...options, agent });
    let hasAnswer = false;
    let deadline;
    const giveUp = () => {
      reject(new NoAnswerError(`no answer within ${patienceSeconds} seconds`));
      req.destroy();
    };
    // While the request goes out, so long without progress is too long; from then on, so long in all.
    req.setTimeout(patienceMillis, giveUp);
    req.once('finish', () => {
      deadline = setTimeout(giveUp, patienceMillis);
    });
    req.once('close', () => {
      clearTimeout(deadline);
      agent.destroy();
    });
    req.once('response', (res) => {
      hasAnswer = true;
      readAnswer(res).then(resolve, (error) => reject(noAnswer(error)));
    });
    // A service may answer and hang up before it has the whole request: then the answer counts.
    req.on('error', (error) => hasAnswer || reject(noAnswer(error)));
    req.end(body);
  });
}

async function readAnswer(res) {
  const chunks = [];
  let sizeBytes = 0;
  for await (const chunk of res) {
    sizeBytes += chunk.length;
    if (sizeBytes > LONGEST_ANSWER_BYTES) {
      throw new Error('it is longer than 1 MiB');
    }
    chunks.push(chunk);
  }
  const headers = {};
  for (const name of COMPARED_HEADERS) {
    const values = res.headersDistinct[name.toLowerCase()];
    if (values) {
      headers[name] = normaliseHeader(name, values.join(', '));
    }
  }
  return { status: res.statusCode, headers, body: Buffer.concat(chunks).toString() };
}

function noAnswer(error) {
  // Of several addresses tried, the first one tells enough.
  const { code, message } = error instanceof AggregateError ? error.errors[0] : error;
  return new NoAnswerError(
    `no answer: ${code && !message.includes(code) ? `${message}, ${code}` : message.trim()}`,
  );
}
