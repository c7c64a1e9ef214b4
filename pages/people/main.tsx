import './style/base.css';
import './style/form.css';
import './style/password.css';
import './style/document-field.css';
import './style/account.css';
import './style/dialog.css';
import { createAuthClient } from '@auth-gateway/client';
import { AuthProvider } from '@auth-gateway/client/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// Otherwise a document that is dropped beside its field would replace the page, and all input would be lost.
for (const type of ['dragover', 'drop']) {
  addEventListener(type, (event) => event.preventDefault());
}

/**
 * The API is beside the page, also below the path of a proxy. The token survives a reload and ends with the tab: nobody who uses the
 * computer later finds it.
 */
const client = createAuthClient({
  url: new URL('.', location.href).href,
  storage: sessionStorage,
  storageKey: 'auth-gateway people',
});

const root = document.querySelector('#people');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <AuthProvider client={client}>
        <App />
      </AuthProvider>
    </StrictMode>,
  );
}
