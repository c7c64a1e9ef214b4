import type { Call, Gateway, Only } from './gateway.ts';
import type { TypedDocumentString } from './generated/graphql.ts';
import { bearer } from './request.ts';
import type { Result } from './results.ts';
import type { SessionStore } from './session-store.ts';
import type { AuthPayload } from './types.ts';

/** The gateway's operations, of which some change the session. */
export class SessionCalls {
  readonly #gateway: Gateway;
  readonly #store: SessionStore;

  constructor(gateway: Gateway, store: SessionStore) {
    this.#gateway = gateway;
    this.#store = store;
  }

  /**
   * Runs an operation with the token. If the gateway does not accept the token, the client forgets it.
   * @param onSuccess called with the token that was sent: another one may have replaced it meanwhile
   */
  async withToken<Data extends object, Variables extends object, Field extends string = never>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    call?: Call,
    onSuccess?: (token: string | null, data: Only<Data>) => unknown,
  ): Promise<Result<Only<Data>, Field>> {
    let sent: string | null = null;
    const authorize = () => {
      sent = this.#store.token;
      return bearer(sent);
    };
    const result = await this.#gateway.run<Data, Variables, Field>(document, variables, {
      ...call,
      authorize,
    });
    if (result.ok) {
      await onSuccess?.(sent, result.data);
    } else if (result.error.code === 'UNAUTHENTICATED') {
      await this.#store.forget(sent);
    }
    return result;
  }

  /** Runs a registration or login, and keeps its token. They need no token, so they do not send one. */
  async logIn<Payload extends AuthPayload, Variables extends object, Field extends string = never>(
    document: TypedDocumentString<Record<string, Payload>, Variables>,
    variables: Variables,
    call?: Call,
  ): Promise<Result<Payload, Field>> {
    const result = await this.#gateway.run<Record<string, Payload>, Variables, Field>(
      document,
      variables,
      call,
    );
    if (result.ok) {
      await this.#store.logIn(result.data.token, result.data.account);
    }
    return result;
  }

  /** Runs an operation that begins a session without saying whose. It needs no token. */
  async begin<Data extends object, Variables extends object, Field extends string = never>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    call?: Call,
  ): Promise<Result<Only<Data>, Field>> {
    const result = await this.#gateway.run<Data, Variables, Field>(document, variables, call);
    if (result.ok) {
      await this.#store.replace(null, (result.data as { token: string }).token);
    }
    return result;
  }
}
