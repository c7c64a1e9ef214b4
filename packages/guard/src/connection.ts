import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestByHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https';
import { urlToHttpOptions } from 'node:url';
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

/** A question that is under way. */
interface Exchange {
  /** True after the timeout: it is not sent any more. */
  isOver: boolean;
  request: ClientRequest | undefined;
}

/** Enough for thousands of questions per second. More of them wait for each other. */
const MAX_CONNECTIONS = 16;
/** The gateway's answers have less than 2 KiB. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * The connections to the gateway, which stay open between questions. Idle ones do not keep the process alive. A question by
 * `fetch` takes six times the processor time of one by `node:http`. That also follows no redirect: the credentials go nowhere
 * else.
 */
export class Connection {
  readonly #settings: Settings;
  readonly #turns = new Turns(MAX_CONNECTIONS);
  readonly #open: (contentLength: number) => ClientRequest;

  constructor(settings: Settings) {
    this.#settings = settings;
    const { endpoint, authorization } = settings;
    const isHttps = endpoint.protocol === 'https:';
    const request = isHttps ? requestByHttps : requestByHttp;
    const agent = new (isHttps ? HttpsAgent : HttpAgent)({ keepAlive: true });
    const target = { ...urlToHttpOptions(endpoint), method: 'POST', agent };
    this.#open = (contentLength) => {
      const headers = {
        Authorization: authorization,
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': contentLength,
      };
      return request({ ...target, headers });
    };
  }

  /**
   * Sends a form.
   * @param onSend called just before the form is sent. It may wait for a free connection until then
   * @throws GuardError if there is no complete answer within the timeout
   */
  async post(body: string, onSend: () => void): Promise<Answer> {
    const exchange: Exchange = { isOver: false, request: undefined };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        exchange.isOver = true;
        exchange.request?.destroy();
        reject(this.#timeoutError());
      }, this.#settings.timeoutMillis);
    });
    try {
      return await Promise.race([this.#inTurn(body, onSend, exchange), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #inTurn(body: string, onSend: () => void, exchange: Exchange): Promise<Answer> {
    // Not the agent's queue: that opens a connection even for a request that was given up while it waited.
    await this.#turns.begin();
    try {
      onSend();
      return await this.#send(body, exchange);
    } finally {
      this.#turns.end();
    }
  }

  async #send(body: string, exchange: Exchange): Promise<Answer> {
    while (!exchange.isOver) {
      const request = this.#open(Buffer.byteLength(body));
      exchange.request = request;
      try {
        return await answerTo(request, body);
      } catch (error) {
        if (!isStale(request, error)) {
          throw error instanceof GuardError ? error : this.#networkError(error);
        }
      }
    }
    throw this.#timeoutError();
  }

  #timeoutError(): GuardError {
    const { endpoint, timeoutMillis } = this.#settings;
    return new GuardError(
      'TIMEOUT',
      `The gateway at ${endpoint.origin} did not answer within ${timeoutMillis} ms.`,
    );
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
