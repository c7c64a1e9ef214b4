import type { AuthClient, Result } from '@auth-gateway/client';
import { AuthProvider } from '@auth-gateway/client/react';
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { clientFor, firstClient } from './clients.ts';

type Enter = <Data, Field extends string>(
  staysLoggedIn: boolean,
  act: (client: AuthClient) => Promise<Result<Data, Field>>,
) => Promise<Result<Data, Field>>;

const EnterContext = createContext<Enter | null>(null);

/** Provides the client that keeps the token where the user wants it. A page with one storage needs only `AuthProvider`. */
export function ChosenAuthProvider({ children }: { children: ReactNode }) {
  const [client, setClient] = useState(firstClient);
  const enter = useCallback<Enter>(async (staysLoggedIn, act) => {
    const chosen = clientFor(staysLoggedIn);
    const result = await act(chosen);
    if (result.ok) {
      setClient(chosen);
    }
    return result;
  }, []);
  return (
    <EnterContext value={enter}>
      <AuthProvider client={client}>{children}</AuthProvider>
    </EnterContext>
  );
}

/**
 * Begins a session: runs a login or registration with the client for the wanted storage. If it succeeds, that becomes the
 * client of the page.
 */
export function useEnter(): Enter {
  const enter = useContext(EnterContext);
  if (!enter) {
    throw new Error('useEnter works only below ChosenAuthProvider');
  }
  return enter;
}
