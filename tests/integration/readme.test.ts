import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { toursOf } from '../support/readme.ts';
import { useTestApp } from '../support/test-app.ts';
import { expectTourAnswers, rememberTourPassword, TOURS } from '../support/tour.ts';

const app = useTestApp();

test.each(TOURS)(
  'the commands of %s run as a script, and each has the documented answer',
  async (document) => {
    const script = (await toursOf(document)).join('\n');
    rememberTourPassword();
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, BASE: app.url },
    });
    expectTourAnswers(document, stdout);
  },
);

test('the README is a page to read at one sitting', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(150);
});
