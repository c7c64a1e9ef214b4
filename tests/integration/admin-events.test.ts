// The operators' admin: the events for services. The commands run in this process, beside a running gateway.

import { admin } from '../support/admin-command.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated } from '../support/expectations.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { createTestApp, type TestApp, testClock } from '../support/test-app.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
let app: TestApp;
let settings: Record<string, string>;
beforeAll(async () => {
  receiver = await startReceiver();
  const { url, secret } = receiver;
  const WEBHOOKS = JSON.stringify([
    { name: 'records', url, types: ['*'], secrets: [secret] },
    { name: 'never', url: 'http://127.0.0.1:9/', types: ['*'], secrets: [secret] },
  ]);
  app = await createTestApp({ WEBHOOKS });
  settings = { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir, WEBHOOKS, LOG_LEVEL: 'fatal' };
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

const run = (...words: string[]) => admin(settings, 'events', ...words);
const register = async () => authenticated(await restApi(app.url).registerPatient(aPatient())).account;
const webhookOf = async (name: string) => {
  const { json } = await run('webhooks', '--json');
  return (json as { name: string; state: string }[]).find((one) => one.name === name);
};

test('nothing yet', async () => {
  expect(await run('list')).toMatchObject({ code: 0, stdout: 'No events were published.\n' });
});

test('the newest events, and how far the webhooks are', async () => {
  receiver.answer(500);
  const accounts = [await register(), await register(), await register()];
  await eventually(async () => expect((await run('list', '--json')).json).toHaveLength(3));
  const { json } = await run('list', '--limit', '2', '--json');
  expect(json).toMatchObject([
    { position: 2, type: 'account.registered', account: { id: accounts[1]?.id } },
    { position: 3, type: 'account.registered', account: { id: accounts[2]?.id } },
  ]);
  expect((await run('list')).stdout).toMatch(/^POSITION +TYPE +AT +ACCOUNT +STATE\n1 +account\.registered /);
  await testClock.advance(1_000);
  await eventually(async () =>
    expect(await webhookOf('records')).toMatchObject({ state: 'failing', lastOutcome: '500', failures: 1 }),
  );
  expect((await run('webhooks')).stdout).toContain('ECONNREFUSED');
});

test('a test message that does not arrive is a failure, and one that arrives enables a webhook', async () => {
  for (const [name, problem] of [
    ['records', 'The endpoint answered 500.'],
    ['never', 'The endpoint does not answer: ECONNREFUSED.'],
    ['unknown', 'WEBHOOKS has no endpoint of this name.'],
  ] as const) {
    const stderr = expect.stringContaining(problem);
    expect(await run('test', '--name', name)).toMatchObject({ code: 1, stderr });
  }
  expect(await run('test')).toMatchObject({ code: 2 });
  await app.database.db
    .collection<{ _id: string }>('webhooks')
    .updateOne({ _id: 'records' }, { $set: { disabledAt: new Date() } });
  expect(await webhookOf('records')).toMatchObject({ state: 'disabled' });
  receiver.answer(204);
  expect(await run('test', '--name', 'records')).toMatchObject({
    code: 0,
    stdout: 'The endpoint answered 204.\n',
  });
  expect(receiver.received.at(-1)?.event).toMatchObject({ type: 'test', account: null });
  await eventually(async () => {
    await testClock.advance(1_000);
    expect(await webhookOf('records')).toMatchObject({ state: 'sending', position: 3 });
  });
});

test('a gateway without webhooks has none', async () => {
  const { WEBHOOKS: _, ...others } = settings;
  expect(await admin(others, 'events', 'webhooks')).toMatchObject({ stdout: 'WEBHOOKS has no endpoints.\n' });
});
