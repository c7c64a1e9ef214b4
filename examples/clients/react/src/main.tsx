import { createAuthClient } from '@auth-gateway/client';
import { AuthProvider } from '@auth-gateway/client/react';
import { createRoot } from 'react-dom/client';
import { App } from './app';

// With `localStorage` the session outlives the page, and every script of the page can read the token.
const client = createAuthClient({ url: '/', storage: 'localStorage' });
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <AuthProvider client={client}>
      <App />
    </AuthProvider>,
  );
}
