'use client';

import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useSyncExternalStore,
} from 'react';
import type { AuthClient, Session } from '../types.ts';

const ClientContext = createContext<AuthClient | null>(null);
/** One object, as React requires: a page that a server renders does not know yet who reads it. */
const LOADING: Session = { status: 'loading' };
const onServer = (): Session => LOADING;

export interface AuthProviderProps {
  /** The client of the page, made once, outside of all components. */
  client: AuthClient;
  children?: ReactNode;
}

/**
 * Gives the components below it a client.
 * @throws Error if there is no client
 */
export function AuthProvider({ client, children }: AuthProviderProps): ReactElement {
  if (!client) {
    throw new Error('AuthProvider needs a client: <AuthProvider client={createAuthClient({ url })}>');
  }
  return createElement(ClientContext.Provider, { value: client }, children);
}

/**
 * The client of the provider. The component is not rendered again when the session changes; `useSession` does that.
 * @throws Error outside of a provider
 */
export function useAuth(): AuthClient {
  return useClient('useAuth');
}

/**
 * The session. The component is rendered again when it changes. The first component that uses it lets the client ask the gateway
 * whose token is stored.
 * @throws Error outside of a provider
 */
export function useSession(): Session {
  const client = useClient('useSession');
  return useSyncExternalStore(client.subscribe, () => client.session, onServer);
}

function useClient(hook: string): AuthClient {
  const client = useContext(ClientContext);
  if (!client) {
    throw new Error(`${hook} works only below <AuthProvider client={client}>.`);
  }
  return client;
}
