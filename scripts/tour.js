import { argv, env, exit, stderr, stdout } from 'node:process';
import { say, showAnswer, showRequest } from './tour/show.js';
import { stepsFor } from './tour/steps.js';

/*
 * npm run tour [-- <url>]: walks through both APIs of a running gateway, and prints each request and its answer. The gateway is
 * the one at the url, else at BASE, else at http://127.0.0.1:4000. Each run registers four accounts at example.org.
 * Exit code: 0 every step was answered as it should be, 1 one was not, 2 there is no gateway to ask.
 */
const ANSWER_MILLIS = 30_000;

class TourError extends Error {
  constructor(message, exitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The gateway's address, without a slash at the end. */
function baseOf(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TourError(`"${text}" is not the address of a gateway, such as http://127.0.0.1:4000.`, 2);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function bodyOf({ body, form }) {
  if (form === undefined) {
    return body;
  }
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') {
      data.append(name, value);
    } else {
      data.append(name, new Blob([value.text]), value.name);
    }
  }
  return data;
}

/** @returns the status and the JSON of an answer; `json` is undefined if it is none */
async function send(base, { method, path, headers, ...content }, token) {
  const withToken = Object.entries(headers).map(([name, value]) => [name, value.replace('$TOKEN', token)]);
  const response = await fetch(`${base}${path}`, {
    method,
    headers: Object.fromEntries(withToken),
    body: bodyOf(content),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MILLIS),
  }).catch(() => {
    throw new TourError(`The gateway at ${base} has given no answer. Its log may say why.`, 1);
  });
  const text = await response.text().catch(() => '');
  return { status: response.status, statusText: response.statusText, json: parsed(text) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws TourError if no gateway answers at the address */
async function findGateway(base) {
  const health = { method: 'GET', path: '/healthz', headers: {} };
  const answer = await send(base, health, '').catch(() => undefined);
  if (answer === undefined) {
    throw new TourError(
      `No gateway answers at ${base}. Start one with "npm start" in another terminal, or name its address: npm run tour -- http://127.0.0.1:4000`,
      2,
    );
  }
  if (answer.json?.status === undefined) {
    throw new TourError(`What answers at ${base} is not an auth-gateway.`, 2);
  }
}

/** The token anywhere in an answer. */
const tokenIn = (json) => /"token":"([^"]+)"/.exec(JSON.stringify(json))?.[1];

async function walk(base) {
  let token = '';
  // Two runs at the same time have different e-mails.
  const who = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
  for (const [index, { title, request, status }] of stepsFor(who).entries()) {
    showRequest(index + 1, title, base, request);
    const answer = await send(base, request, token);
    if (answer.json === undefined) {
      throw new TourError(`The answer has the status ${answer.status} and is no JSON.`, 1);
    }
    showAnswer(answer);
    if (answer.status !== status || answer.json.errors !== undefined) {
      throw new TourError(`This step should have succeeded with the status ${status}.`, 1);
    }
    token = tokenIn(answer.json) ?? token;
  }
}

async function main() {
  const base = baseOf(argv[2] ?? (env.BASE || 'http://127.0.0.1:4000'));
  await findGateway(base);
  say(`A tour of the gateway at ${base}. $TOKEN stands for the token of the last login.`);
  await walk(base);
  say(`\nThat was the tour. It has registered four accounts at example.org, and they stay.`);
  say(`Next: docs/rest.md, docs/graphql.md, docs/client.md, or ${base}/ in a browser.`);
}

// A reader such as `head` may close the pipe before the end.
stdout.on('error', () => exit(0));
await main().catch((error) => {
  if (!(error instanceof TourError)) {
    throw error;
  }
  stderr.write(`\n${error.message}\n`);
  process.exitCode = error.exitCode;
});
