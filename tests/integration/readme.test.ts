import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { codeUnder } from '../support/readme.ts';
import { useTestApp } from '../support/test-app.ts';
import { expectTourAnswers, rememberTourPassword } from '../support/tour.ts';

const app = useTestApp();

test("the README's tour runs as a script, and every step has the documented answer", async () => {
  const script = await codeUnder('A tour with curl', 'sh');
  rememberTourPassword();
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, BASE: app.url },
  });
  expectTourAnswers(stdout);
});
