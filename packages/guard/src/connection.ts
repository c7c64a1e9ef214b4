import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestByHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https';
import { GuardError } from './guard-error.ts';
import type { Settings } from './settings.ts';
import { Turns } from './turns.ts';

/** A complete HTTP response. */
export interface Answer {
  status: number;
  /** The header Retry-After. */
  retryAfter: string | undefined;
  text: string;
}

/** Enough for thousands of questions per second. More of them wait for each other. */
const MAX_CONNECTIONS = 16;
/** The gateway's answers have less than 2 KiB. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * The connections to the gateway, which stay open between questions. Idle ones do not keep the process alive. A question by
 * `fetch` would take six times the processor time of one by `node:http`, which also follows no redirect: the credentials go
 * nowhere else.
 */
export class Connection {
  readonly #settings: Settings;
  readonly #turns = new Turns(MAX_CONNECTIONS);
  readonly #open: (body: string, signal: AbortSignal) => ClientRequest;

  constructor(settings: Settings) {
    this.#settings = settings;
    const { endpoint, authorization } = settings;
    const isHttps = endpoint.protocol === 'https:';
    const request = isHttps ? requestByHttps : requestByHttp;
    const agent = new (isHttps ? HttpsAgent : HttpAgent)({ keepAlive: true });
    this.#open = (body, signal) => {
      const headers = {
        Authorization: authorization,
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(body),
      };
      return request(endpoint, { method: 'POST', agent, headers, signal });
    };
  }

  /**
   * Sends a form.
   * @param onSend called just before the form is sent. It may wait for a free connection until then
   * @throws GuardError if there is no complete answer within the timeout
   */
  async post(body: string, onSend: () => void): Promise<Answer> {
    const { endpoint, timeoutMillis } = this.#settings;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(
          new GuardError(
            'TIMEOUT',
            `The gateway at ${endpoint.origin} did not answer within ${timeoutMillis} ms.`,
          ),
        );
        controller.abort();
      }, timeoutMillis);
    });
    try {
      return await Promise.race([this.#exchange(body, onSend, controller.signal), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #exchange(body: string, onSend: () => void, signal: AbortSignal): Promise<Answer> {
    // Not the agent's queue: that opens a connection even for a request that was aborted while it waited.
    await this.#turns.begin();
    try {
      onSend();
      return await this.#send(body, signal);
    } finally {
      this.#turns.end();
    }
  }

  async #send(body: string, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      signal.throwIfAborted();
      const request = this.#open(body, signal);
      try {
        return await answerTo(request, body);
      } catch (error) {
        if (!isStale(request, error)) {
          throw error instanceof GuardError ? error : this.#networkError(error);
        }
      }
    }
  }

  /** With the system's code of the problem, but without its message. */
  #networkError(error: unknown): GuardError {
    const code = codeOf(error);
    const reason = code === undefined ? '' : ` (${code})`;
    const { origin } = this.#settings.endpoint;
    return new GuardError(
      'NETWORK_ERROR',
      `The gateway at ${origin} cannot be reached, or the connection broke${reason}.`,
    );
  }
}

/** The code of a system error, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * True if the gateway has closed an idle connection just when this request took it. To send a question again is harmless.
 */
const isStale = (request: ClientRequest, error: unknown): boolean =>
  request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error) ?? '');

/** Sends the body, and reads the whole response. */
function answerTo(request: ClientRequest, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    let isAnswered = false;
    request.once('response', (response) => {
      isAnswered = true;
      read(response).then(resolve, reject);
    });
    // Without an error, for example after a status of 101.
    request.once('close', () => isAnswered || reject(new Error('closed')));
    request.end(body);
  });
}

function read(response: IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('error', reject);
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > MAX_ANSWER_BYTES) {
        response.destroy(tooLong());
      }
    });
    response.on('end', () => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, retryAfter: headers['retry-after'], text: Buffer.concat(chunks).toString() });
    });
  });
}

const tooLong = () =>
  new GuardError(
    'INVALID_RESPONSE',
    `The answer has more than ${MAX_ANSWER_BYTES} bytes. It is not the gateway's.`,
  );
