import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnFreePort } from '../../../../tests/support/listen.ts';
import { createGuardWith } from '../../src/create-guard.ts';
import type { GuardError } from '../../src/index.ts';
import type { Clock } from '../../src/session-cache.ts';
import type { Guard, GuardOptions } from '../../src/types.ts';

export const TOKEN = '12|a-token-that-must-not-be-seen';
export const BEARER = { Authorization: `Bearer ${TOKEN}` };
export const SECRET = 'a-secret-that-must-not-be-seen';

/** The answer of the gateway to a question about a valid token. */
export const ACTIVE = {
  active: true,
  sub: '6720aa',
  iss: 'https://auth.example.org',
  jti: '6720bb',
  token_type: 'Bearer',
  scope: '*',
  iat: 1_700_000_000,
  role: 'doctor',
  verification: 'pending',
  name: 'Dr. Ada Example',
};

/** A server in the place of the gateway, for its answers and faults that a real one does not give at will. */
export class FakeGateway {
  /** The forms of the questions so far. */
  questions: string[] = [];
  /** How many connections were opened so far. */
  connections = 0;
  /** What a guard that {@link guard} has made has reported. */
  errors: GuardError[] = [];
  /** Answers a question that has been read. */
  answer: RequestListener = FakeGateway.says(ACTIVE);
  url = '';

  /** Starts a server before each test of the file, which says that all tokens are valid, and ends it after the test. */
  use(): this {
    let server: Server;
    beforeEach(async () => {
      this.answer = FakeGateway.says(ACTIVE);
      this.questions = [];
      this.errors = [];
      this.connections = 0;
      server = createServer((request, response) => void this.#receive(request, response));
      server.on('connection', () => {
        this.connections += 1;
      });
      this.url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
    });
    afterEach(async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });
    return this;
  }

  /** A guard that asks this gateway. */
  guard(options: Partial<GuardOptions> = {}, clock: Clock = STANDING_STILL): Guard {
    const onError = (error: GuardError) => void this.errors.push(error);
    const { url } = this;
    return createGuardWith({ url, client: 'appointments', secret: SECRET, onError, ...options }, clock);
  }

  static says(body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener {
    return (_request, response) => {
      const json = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(json);
    };
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.questions.push(await text(request));
    this.answer(request, response);
  }
}

export const STANDING_STILL: Clock = { now: () => 1_700_000_000_000, elapsed: () => 0 };
