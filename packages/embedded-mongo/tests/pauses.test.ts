import { useEngine } from './support/engine.ts';

const MEBIBYTE = 1024 * 1024;
const COUNT = 64;

const mongo = useEngine();
const database = () => mongo.client.db('test');

/** The order in which a command and a `ping` that is sent after it are answered. */
async function orderBesidePing(command: object): Promise<string[]> {
  const ping = () => database().command({ ping: 1 });
  // Two connections are open then, and both commands are sent at once.
  await Promise.all([ping(), ping()]);
  const answered: string[] = [];
  const running = database()
    .command(command)
    .finally(() => answered.push('command'));
  await ping();
  answered.push('ping');
  await running;
  return answered;
}

beforeAll(async () => {
  const text = 'x'.repeat(MEBIBYTE);
  for (let _id = 0; _id < COUNT; _id += 1) {
    await mongo.collection('large').insertOne({ _id, n: COUNT - _id, text });
  }
});

test('other commands go first while large documents are read that do not match', async () => {
  expect(await orderBesidePing({ find: 'large', filter: { text: 'absent' } })).toEqual(['ping', 'command']);
});

test('other commands go first while small parts of large documents are given', async () => {
  const find = { find: 'large', sort: { n: 1 }, projection: { n: 1 }, batchSize: 1 };
  // All documents have been read and sorted then.
  const { cursor } = await database().command(find);
  const rest = { getMore: cursor.id, collection: 'large', batchSize: COUNT };
  expect(await orderBesidePing(rest)).toEqual(['ping', 'command']);
});
