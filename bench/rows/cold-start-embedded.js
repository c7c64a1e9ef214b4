import { coldStart } from '../support/cold-start.js';

export const row = coldStart('cold start with the embedded database in the process', 3.1, true);
