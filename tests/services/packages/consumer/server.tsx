import { createAuthClient } from '@auth-gateway/client';
import { AuthProvider } from '@auth-gateway/client/react';
import { type ReactElement, version } from 'react';
import { renderToString } from 'react-dom/server';
import { App, Entrance } from './app';

/** The recipe as a server draws it: it does not know yet who is logged in. */
export function draw(url: string) {
  const client = createAuthClient({ url });
  const drawn = (element: ReactElement) =>
    renderToString(<AuthProvider client={client}>{element}</AuthProvider>);
  return { version, app: drawn(<App />), entrance: drawn(<Entrance />) };
}
