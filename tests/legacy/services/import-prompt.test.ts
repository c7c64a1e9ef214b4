import path from 'node:path';
import { openTerminal } from '../../services/support/terminal.ts';
import { useTarget } from '../support/legacy-command.ts';

const target = useTarget();
const PROGRAM = path.resolve('dist/auth-gateway.js');

test('on a terminal, an import asks first: "no" changes nothing, "yes" imports', async () => {
  const terminal = await openTerminal('bash', target.settings);
  const answer = async (word: string, code: number) => {
    await terminal.type(
      `clear; '${process.execPath}' '${PROGRAM}' legacy import --admins skip; echo code=$?`,
    );
    await terminal.shows(/Import now\? \[yes\/no\] *$/m);
    expect(await target.database.count()).toMatchObject({ accounts: 0 });
    await terminal.type(word);
    return terminal.shows(new RegExp(`^code=${code}$`, 'm'));
  };
  expect(await answer('no', 2)).toContain('Nothing was imported.');
  expect(await target.database.count()).toMatchObject({ accounts: 0 });
  expect(await answer('yes', 0)).toContain('14 accounts taken');
  expect(await target.database.count()).toMatchObject({ accounts: 14 });
  await terminal.close();
});
