import { codeUnder } from '../../support/readme.ts';
import { REAL_TIME, useTestApp } from '../../support/test-app.ts';
import { expectTourAnswers, rememberTourPassword } from '../../support/tour.ts';
import { SHELLS } from '../support/shells.ts';
import { openTerminal, PASTES } from '../support/terminal.ts';

const app = useTestApp({}, undefined, ...REAL_TIME);

describe.each(SHELLS)('%s', (shell) => {
  test.each(PASTES)(
    "takes the README's tour pasted %s, every step answers, and the prompt is clean after it",
    async (how) => {
      const tour = await codeUnder('A tour with curl', 'sh');
      rememberTourPassword();
      const terminal = await openTerminal(shell, { BASE: app.url });
      try {
        expectTourAnswers(await terminal.paste(tour, how));
      } finally {
        await terminal.close();
      }
    },
  );
});
