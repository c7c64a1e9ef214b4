import type { Check } from './check.ts';
import { databaseCheck } from './database-check.ts';
import { diskCheck } from './disk-check.ts';
import { documentCheck } from './document-check.ts';
import { frontCheck } from './front-check.ts';
import { hashCheck } from './hash-check.ts';
import { mailCheck } from './mail-check.ts';
import { nodeCheck } from './node-check.ts';
import { secretsCheck } from './secrets-check.ts';
import { settingsCheck } from './settings-check.ts';

/** In the order of the output. They run one after the other, so that the measured ones have the machine for themselves. */
export const ALL_CHECKS: readonly Check[] = [
  settingsCheck,
  secretsCheck,
  nodeCheck,
  hashCheck,
  diskCheck,
  databaseCheck,
  documentCheck,
  mailCheck,
  frontCheck,
];
