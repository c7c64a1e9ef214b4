import { questionRow, SERVICE } from '../support/questions.js';
import { wholeRequest } from '../support/requests.js';

export const row = questionRow(
  'introspection',
  (token) =>
    wholeRequest({
      method: 'POST',
      path: '/oauth/introspect',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...SERVICE },
      body: new URLSearchParams({ token }).toString(),
    }),
  '"active":true',
);
