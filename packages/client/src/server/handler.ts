import { hasChallenge } from '../challenge.ts';
import { CLIENT_HEADER } from '../cookie-session.ts';
import { bearer } from '../request.ts';
import { type ClientOperation, NotOfClientError, type OperationName, readRequest } from './client-request.ts';
import { forgetting, keeping, tokenIn } from './token-cookie.ts';
import { type AddressOf, visitorHeaders } from './visitor.ts';

interface HandlerParts {
  /** The address of the gateway's GraphQL API. */
  endpoint: string;
  address: AddressOf;
  /** The origin of the pages, if it differs from the host of the request. */
  origin: string | undefined;
  fetch: typeof globalThis.fetch;
}

/** Operations whose answer has a new token. */
const WITH_TOKEN: readonly OperationName[] = [
  'registerDoctor',
  'registerPatient',
  'login',
  'completeLogin',
  'loginWithPasskey',
  'confirmTwoFactor',
  'stepUp',
];
/** Operations after which the token of the cookie has ended. */
const ENDING: readonly OperationName[] = ['logout', 'deleteMyAccount', 'resetPassword'];

/** Forwards the operations of the client with the token of the cookie, which no script of a page ever sees. */
export const createHandler =
  (parts: HandlerParts) =>
  async (request: Request): Promise<Response> => {
    const refusal = refusalOf(request, parts.origin);
    if (refusal) {
      return refusal;
    }
    const visitor = visitorHeaders(request, parts.address);
    let operation: ClientOperation;
    try {
      operation = await readRequest(request);
    } catch (error) {
      if (error instanceof NotOfClientError) {
        return badRequest(error);
      }
      throw error;
    }
    // A challenge stands for a token. The one of the cookie may be another person's.
    const token = hasChallenge(operation.variables) ? null : tokenIn(request.headers);
    try {
      const answer = await forward(operation, { ...visitor, ...bearer(token) }, request.signal, parts);
      return await present(operation.name, answer);
    } catch {
      const refusal = operation.refusal();
      const text = 'The gateway cannot be reached.';
      return refusal
        ? badRequest(refusal)
        : problem(503, text, { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    }
  };

/**
 * Refuses what no page of this site has sent with the client (OWASP CSRF Prevention Cheat Sheet: fetch metadata, origin, and a
 * header that needs a preflight elsewhere). A forged login would make the visitor somebody else.
 */
function refusalOf({ method, url, headers }: Request, own: string | undefined): Response | undefined {
  if (method !== 'POST') {
    return problem(405, 'Only POST.', { code: 'METHOD_NOT_ALLOWED' }, { Allow: 'POST' });
  }
  const site = headers.get('sec-fetch-site');
  const origin = headers.get('origin');
  const host = headers.get('host') ?? new URL(url).host;
  const isOwn = own === undefined ? hostOf(origin) === host : origin === own;
  const isForeign = (site !== null && site !== 'same-origin') || (origin !== null && !isOwn);
  if (isForeign || headers.get(CLIENT_HEADER) === null) {
    const text = 'Only pages of this site may send this, with the client.';
    return problem(403, text, { code: 'FORBIDDEN', reason: 'origin' });
  }
  return undefined;
}

function hostOf(origin: string | null): string | undefined {
  try {
    return new URL(origin ?? '').host;
  } catch {
    // `null` is the origin of a page without one.
    return undefined;
  }
}

async function forward(
  { body, contentType }: ClientOperation,
  headers: Record<string, string>,
  signal: AbortSignal,
  { fetch, endpoint }: HandlerParts,
): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { ...headers, 'Content-Type': contentType, 'Apollo-Require-Preflight': 'true' },
    body,
    signal,
    redirect: 'error',
    cache: 'no-store',
    // A stream is sent while it arrives.
    duplex: 'half',
  } as const;
  return fetch(endpoint, init as RequestInit);
}

/** The headers of the gateway's answer that the client reads. */
const PASSED_ON = ['content-type', 'retry-after', 'x-request-id'];
const NOT_STORED = { 'Cache-Control': 'private, no-store' };

/** The gateway's answer without its token, which goes into the cookie. */
async function present(name: OperationName, answer: Response): Promise<Response> {
  const headers = new Headers(NOT_STORED);
  for (const header of PASSED_ON) {
    const value = answer.headers.get(header);
    if (value !== null) {
      headers.set(header, value);
    }
  }
  const { status } = answer;
  const isRead = name === 'me' || WITH_TOKEN.includes(name) || ENDING.includes(name);
  if (!isRead) {
    return new Response(answer.body, { status, headers });
  }
  const text = await answer.text();
  const body = parsed(text);
  const payload = body.data?.[name];
  if (typeof payload?.token === 'string') {
    headers.append('Set-Cookie', keeping(payload.token));
    payload.token = '';
    return new Response(JSON.stringify(body), { status, headers });
  }
  const isEnded = ENDING.includes(name) && payload;
  const isRefused = body.errors?.[0]?.extensions?.code === 'UNAUTHENTICATED';
  if (isEnded || isRefused) {
    headers.append('Set-Cookie', forgetting());
  }
  return new Response(text, { status, headers });
}

/** The parts of an answer of GraphQL that are read here. */
interface GraphqlBody {
  data?: Record<string, { token?: unknown } | null | undefined> | null;
  errors?: { extensions?: { code?: unknown } }[];
}

function parsed(text: string): GraphqlBody {
  try {
    return Object(JSON.parse(text)) as GraphqlBody;
  } catch {
    return {};
  }
}

/** An error in the form of the gateway's, so that the client reads it. */
const problem = (
  status: number,
  message: string,
  extensions: Record<string, unknown>,
  headers: Record<string, string> = {},
): Response =>
  new Response(JSON.stringify({ errors: [{ message, extensions }] }), {
    status,
    headers: { ...NOT_STORED, 'Content-Type': 'application/json', ...headers },
  });

const badRequest = ({ status, message }: NotOfClientError): Response =>
  problem(status, message, { code: 'BAD_REQUEST' });
