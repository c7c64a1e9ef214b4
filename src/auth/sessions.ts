import { UnauthenticatedError } from '../errors/errors.ts';
import type { Caller } from './caller.ts';
import type { AccessTokens, Session } from './tokens/access-tokens.ts';

/** Called when the token of a request has turned out to be valid. */
export type SessionObserver = (caller: Caller, session: Session) => void;

/** Finds the session of a presented token. */
export class Sessions {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly onSession: SessionObserver,
  ) {}

  /**
   * The session of the presented token, and a note that the token is being used.
   * @throws UnauthenticatedError when there is none, or it is not valid
   */
  async authenticate(caller: Caller): Promise<Session> {
    return (await this.find(caller)) ?? refuse();
  }

  /**
   * The session of the presented token, and a note that the token is being used.
   * @returns undefined if there is no token, or it is not valid
   */
  async find(caller: Caller): Promise<Session | undefined> {
    const session = await this.#lookUp(caller);
    if (session) {
      this.tokens.noteUse(session.token);
    }
    return session;
  }

  /**
   * The session of a token that is about to be revoked, so its use is not noted.
   * @throws UnauthenticatedError when there is none, or it is not valid
   */
  async findToRevoke(caller: Caller): Promise<Session> {
    return (await this.#lookUp(caller)) ?? refuse();
  }

  async #lookUp(caller: Caller): Promise<Session | undefined> {
    const { bearer, timeBudget } = caller;
    if (bearer === undefined) {
      return undefined;
    }
    const session = await timeBudget.within(() => this.tokens.find(bearer));
    if (session) {
      this.onSession(caller, session);
    }
    return session;
  }
}

function refuse(): never {
  throw new UnauthenticatedError();
}
