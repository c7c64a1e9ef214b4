import { instancesRow } from '../support/instances.js';

export const row = instancesRow(2);
