import { endpointOf } from '../endpoint.ts';
import { Gateway } from '../gateway.ts';
import { operation } from '../operations.ts';
import { bearer } from '../request.ts';
import type { AuthError } from '../results.ts';
import type { OwnAccount } from '../types.ts';
import { createHandler } from './handler.ts';
import { tokenIn } from './token-cookie.ts';
import type { AddressOf } from './visitor.ts';

export interface AuthServerOptions {
  /** The gateway's address, such as `https://auth.example.org`, as this program reaches it. */
  url: string;
  /** Finds the address of a visitor, for example `forwardedFor(1)` behind one proxy. */
  address: AddressOf;
  /** The origin of the pages, if a proxy changes the header `Host`: `https://app.example.org`. */
  origin?: string | undefined;
  /** Used instead of the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Who has sent a request, as the gateway has just said. With `unavailable` it could not be asked: that is nobody's logout. */
export type ServerSession =
  | { readonly status: 'anonymous' }
  | { readonly status: 'authenticated'; readonly account: OwnAccount }
  | { readonly status: 'unavailable'; readonly error: AuthError };

/** A request, or what a framework has of it. */
export interface HasHeaders {
  headers: { get(name: string): string | null };
}

/** The sessions of a web server: the access token is in a cookie that no script can read. */
export interface AuthServer {
  /**
   * Asks the gateway who has sent a request, once for each request object. It never trusts the cookie alone.
   * @param request or another object with its headers; the same object gets the same answer
   */
  getSession(request: HasHeaders): Promise<ServerSession>;
  /** The access token of a request, to call services behind the gateway with; null if there is none. It may have ended. */
  tokenOf(request: HasHeaders): string | null;
  /** Answers the requests of a client with `session: 'cookie'`. @throws Error if `address` finds no address */
  authHandler(request: Request): Promise<Response>;
}

/**
 * Makes the sessions of a web server. It sends nothing until one of its functions is called.
 * @throws TypeError if an option is missing or wrong
 */
export function createAuthServer(options: AuthServerOptions): AuthServer {
  // What is inherited may come from a polluted Object.prototype.
  const own: Partial<AuthServerOptions> = Object.assign(Object.create(null), options);
  const { url, address, origin } = own;
  const send: typeof fetch = own.fetch ?? ((...request) => fetch(...request));
  const endpoint = endpointOf(url);
  if ('problem' in endpoint || endpoint.isRelative) {
    throw new TypeError('createAuthServer needs the option "url", an address with http:// or https://.');
  }
  if (typeof address !== 'function') {
    throw new TypeError('createAuthServer needs the option "address", such as forwardedFor(1).');
  }
  // A cache of a framework would keep a session that has ended, or give it to somebody else.
  const uncached: typeof fetch = (input, init) => send(input, { ...init, cache: 'no-store' } as RequestInit);
  const gateway = new Gateway(endpoint, { url: options.url, fetch: uncached }, () => Promise.resolve());
  const asked = new WeakMap<HasHeaders, Promise<ServerSession>>();

  const ask = async (token: string | null): Promise<ServerSession> => {
    if (token === null) {
      return { status: 'anonymous' };
    }
    const [document, variables] = operation('me');
    const result = await gateway.run(document, variables, { authorize: () => bearer(token) });
    if (result.ok) {
      return { status: 'authenticated', account: result.data };
    }
    const { error } = result;
    return error.code === 'UNAUTHENTICATED' ? { status: 'anonymous' } : { status: 'unavailable', error };
  };
  const tokenOf = ({ headers }: HasHeaders) => tokenIn(headers);

  return {
    getSession(request) {
      const known = asked.get(request);
      const session = known ?? ask(tokenOf(request));
      asked.set(request, session);
      return session;
    },
    tokenOf,
    authHandler: createHandler({ endpoint: endpoint.href, address, origin, fetch: send }),
  };
}
