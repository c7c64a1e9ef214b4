import setUp from '../../support/global-setup.mjs';
import { missingPrograms } from './programs.mjs';

/** The set-up of every tier. It also prints in one line which tests are skipped because a program is missing. */
export default async function globalSetup() {
  const missing = missingPrograms().map(({ program }) => program);
  if (missing.length > 0) {
    process.stdout.write(`Not installed, so left out: the tests with ${missing.join(', ')}\n`);
  }
  await setUp();
}
