import setUp from '../../support/global-setup.mjs';
import { missingPrograms } from './programs.mjs';

/** As for every tier, and says in one line what is left out because its program is not installed. */
export default async function globalSetup() {
  const missing = missingPrograms().map(({ program }) => program);
  if (missing.length > 0)
    process.stdout.write(`Not installed, so left out: the tests with ${missing.join(', ')}\n`);
  await setUp();
}
