import { hasChallenge } from './challenge.ts';
import type { Call, Gateway, Only } from './gateway.ts';
import type { TypedDocumentString } from './generated/graphql.ts';
import { bearer } from './request.ts';
import type { Result } from './results.ts';
import type { SessionState } from './session-state.ts';
import type { Account, AuthPayload } from './types.ts';

/** The gateway's operations, of which some change the session. */
export class SessionCalls {
  readonly #gateway: Gateway;
  readonly #store: SessionState;
  /** The last call that ends the token and brings another one. */
  #replacing: Promise<unknown> | undefined;

  constructor(gateway: Gateway, store: SessionState) {
    this.#gateway = gateway;
    this.#store = store;
  }

  /**
   * Runs an operation with the token, or with the challenge of its variables in place of it. If the gateway does not accept the
   * token, the client forgets it, unless a call under way replaces it: the token has ended then before the answer has arrived.
   * @param onSuccess called with the token that was sent: another one may have replaced it meanwhile
   */
  async withToken<Data extends object, Variables extends object, Field extends string = never>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    call?: Call,
    onSuccess?: (token: string | null, data: Only<Data>) => unknown,
  ): Promise<Result<Only<Data>, Field>> {
    const [result, sent] = await this.#run<Data, Variables, Field>(document, variables, call, onSuccess);
    if (isRefused(result)) {
      await this.#replacing;
      await this.#store.forget(sent);
    }
    return result;
  }

  /** Runs an operation whose answer has a token in place of the one that was sent, or the first one, by a challenge. */
  async replaceToken<
    Data extends { token: string; account?: Account },
    Variables extends object,
    Field extends string = never,
  >(
    document: TypedDocumentString<Record<string, Data>, Variables>,
    variables: Variables,
    call?: Call,
  ): Promise<Result<Data, Field>> {
    const running = this.#run<Record<string, Data>, Variables, Field>(
      document,
      variables,
      call,
      (sent, { token, account }) =>
        hasChallenge(variables) ? this.#store.setToken(token) : this.#store.replace(sent, token, account),
    );
    this.#replacing = running;
    const [result, sent] = await running;
    if (isRefused(result)) {
      await this.#store.forget(sent);
    }
    return result;
  }

  async #run<Data extends object, Variables extends object, Field extends string = never>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    call?: Call,
    onSuccess?: (token: string | null, data: Only<Data>) => unknown,
  ): Promise<[Result<Only<Data>, Field>, string | null]> {
    let sent: string | null = null;
    const authorize = () => {
      sent = hasChallenge(variables) ? null : this.#store.token;
      return bearer(sent);
    };
    const result = await this.#gateway.run<Data, Variables, Field>(document, variables, {
      ...call,
      authorize,
    });
    if (result.ok) {
      await onSuccess?.(sent, result.data);
    }
    return [result, sent];
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
}

const isRefused = (result: Result<unknown, string>): boolean =>
  !result.ok && result.error.code === 'UNAUTHENTICATED';
