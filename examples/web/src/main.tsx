import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ChosenAuthProvider } from './session/chosen-auth-provider.tsx';

// Otherwise a document that is dropped beside its field would replace the page, and all input would be lost.
for (const type of ['dragover', 'drop']) {
  addEventListener(type, (event) => event.preventDefault());
}

const root = document.querySelector('#root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ChosenAuthProvider>
        <App />
      </ChosenAuthProvider>
    </StrictMode>,
  );
}
