import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { install, pack, runIn } from '../../support/consumer.ts';
import { codeUnder } from '../../support/readme.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PACKAGES = ['.', 'packages/client', 'packages/embedded-mongo', 'packages/testing'];
/** npm installs some three hundred packages, from its cache where it can. */
const INSTALL_MILLIS = 600_000;

const project = temporaryFolder();
// The tests of the package itself, in testing-package.test.ts, take the other packages from this repository. This one shows that
// the packages declare all that they need.
test(
  'a gateway for tests starts in a project that has the four packed packages and what these depend on',
  async () => {
    const tarballs = await pack(project, ...PACKAGES);
    await writeFile(path.join(project, 'package.json'), '{}');
    await install(project, ...tarballs.map(({ file }) => file));
    const code = await codeUnder('In the test runner of Node.js', 'js', 'packages/testing/README.md');
    await writeFile(path.join(project, 'patient.test.mjs'), code);
    expect(await runIn(project, 'node', '--test', 'patient.test.mjs')).toMatch(/^# pass 1$/m);
  },
  INSTALL_MILLIS,
);
