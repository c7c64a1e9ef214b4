import { cp, writeFile } from 'node:fs/promises';
import { createLog } from '../../../src/system/log.ts';
import { logForPeople } from '../../../src/system/log-for-people.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const inFolder = folderOfEachTest();

/** A log for people without colours, and what it has written. */
async function peoplesLog() {
  const lines: string[] = [];
  const output = await logForPeople({ write: (line) => void lines.push(line) }, false);
  return { log: createLog('info', output), lines };
}

test('a request is one line with its words, and with its id if it failed', async () => {
  const { log, lines } = await peoplesLog();
  const request = {
    requestId: 'r1',
    method: 'POST',
    path: '/graphql',
    operationName: 'Login',
    durationMillis: 3.1,
  };
  log.info({ ...request, status: 200, ip: '::1' }, 'request');
  log.info({ ...request, status: 500, ip: '::1' }, 'request');
  expect(lines).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: POST \/graphql Login 200 3\.1 ms\n$/),
    expect.stringMatching(/ POST \/graphql Login 500 3\.1 ms \{"requestId":"r1"\}\n$/),
  ]);
});

test('each line is written before the call returns, with its fields and the stack of its error', async () => {
  const { log, lines } = await peoplesLog();
  log.warn({ hosts: ['one'], err: new Error('gone') }, 'waiting');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('WARN: waiting {"hosts":["one"]');
  expect(lines[0]).toMatch(/Error: gone\\?n? *\n? +at /);
});

test('no caller controls the terminal: a control character is a question mark, also in a stack', async () => {
  const { log, lines } = await peoplesLog();
  const text = 'a\u001b[31m\u009b2J\u0007\u202e\rb';
  const err = new Error(text);
  log.error({ err, path: text, nested: { [text]: [text] } }, text);
  expect(lines.join('').replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
  expect(lines[0]).toContain('a?[31m?2J???b');
});

test('secrets are hidden', async () => {
  const { log, lines } = await peoplesLog();
  log.info({ password: 'hunter2', deep: { token: 'hunter2' } }, 'a line');
  expect(lines[0]).toContain('[redacted]');
  expect(lines[0]).not.toContain('hunter2');
});

test('without pino-pretty, as in production, the log stays JSON', async () => {
  // Outside of this project, no package is found.
  await cp('dist/system', inFolder(), { recursive: true });
  await writeFile(inFolder('package.json'), '{"type":"module"}');
  const { logForPeople: withoutPretty } = await import(inFolder('log-for-people.js'));
  const output = { write: () => {} };
  expect(await withoutPretty(output, true)).toBe(output);
});
