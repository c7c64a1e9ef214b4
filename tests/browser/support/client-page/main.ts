import { type AuthClient, createAuthClient } from '@auth-gateway/client';
import { AuthProvider, useSession } from '@auth-gateway/client/react';
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

declare global {
  interface Window {
    /** For the test. */
    client: AuthClient;
    /** How often the session was drawn. */
    drawn: number;
  }
}

window.client = createAuthClient({ url: '/', storage: 'localStorage' });
window.drawn = 0;

function Status() {
  const session = useSession();
  window.drawn += 1;
  return createElement('p', null, session.status === 'authenticated' ? session.account.name : session.status);
}

// Two components, so that the test sees whether they ask the gateway once.
const statuses = [createElement(Status, { key: 1 }), createElement(Status, { key: 2 })];
const page = createElement(AuthProvider, { client: window.client }, statuses);
createRoot(document.getElementById('root') as HTMLElement).render(createElement(StrictMode, null, page));
