import type { Check } from './check.ts';
import { databaseCheck } from './checks/database-check.ts';
import { diskCheck } from './checks/disk-check.ts';
import { documentCheck } from './checks/document-check.ts';
import { frontCheck } from './checks/front-check.ts';
import { hashCheck } from './checks/hash-check.ts';
import { mailCheck } from './checks/mail-check.ts';
import { nodeCheck } from './checks/node-check.ts';
import { secretsCheck } from './checks/secrets-check.ts';
import { settingsCheck } from './checks/settings-check.ts';

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
