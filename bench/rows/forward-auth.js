import { questionRow } from '../support/questions.js';
import { wholeRequest } from '../support/requests.js';

export const row = questionRow(
  'forward authentication',
  (token) =>
    wholeRequest({ method: 'GET', path: '/forward-auth', headers: { Authorization: `Bearer ${token}` } }),
  '',
);
