import { coldStart } from '../support/cold-start.js';

export const row = coldStart('cold start of the built tree to its first GraphQL answer', 2.3, false);
