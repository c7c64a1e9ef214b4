import { createAuthClient } from '@auth-gateway/client';
import { AuthProvider } from '@auth-gateway/client/react';
import { version } from 'react';
import { renderToString } from 'react-dom/server';
import { App } from './app';

/** The page of the recipe before and after a registration, as a server renders it. */
export async function visit(url: string, email: string) {
  const client = createAuthClient({ url });
  const page = () =>
    renderToString(
      <AuthProvider client={client}>
        <App />
      </AuthProvider>,
    );
  const anonymous = page();
  await client.registerPatient({ name: 'Pat Example', email, password: 'correct horse' });
  return { version, anonymous, authenticated: page() };
}
