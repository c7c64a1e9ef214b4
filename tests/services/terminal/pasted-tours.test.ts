import { toursOf } from '../../support/readme.ts';
import { REAL_TIME, useTestApp } from '../../support/test-app.ts';
import { expectTourAnswers, rememberTourPassword } from '../../support/tour.ts';
import { SHELLS } from '../support/shells.ts';
import { openTerminal, PASTES } from '../support/terminal.ts';

const app = useTestApp({}, undefined, ...REAL_TIME);

describe.each(SHELLS)('%s', (shell) => {
  describe.each(['docs/rest.md', 'docs/graphql.md'])('takes the commands of %s', (document) => {
    test.each(PASTES)('pasted %s, each has its answer, and the prompt is clean after it', async (how) => {
      rememberTourPassword();
      const terminal = await openTerminal(shell, { BASE: app.url });
      try {
        let screen = '';
        for (const block of await toursOf(document)) {
          screen = await terminal.paste(block, how);
        }
        expectTourAnswers(document, screen);
      } finally {
        await terminal.close();
      }
    });
  });

  test.each(PASTES)('takes the commands of the README pasted %s', async (how) => {
    rememberTourPassword();
    const terminal = await openTerminal(shell, { BASE: app.url });
    try {
      let screen = '';
      for (const block of await toursOf('README.md')) {
        screen = await terminal.paste(block, how);
      }
      // The registration succeeds once, in the first terminal.
      expect(screen).toMatch(/\{"data":\{"login":\{"account":\{"id":"\w+","role":"PATIENT"\},"token":/);
    } finally {
      await terminal.close();
    }
  });
});
