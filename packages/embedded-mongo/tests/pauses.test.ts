import { orderBesidePing } from './support/beside-ping.ts';
import { useEngine } from './support/engine.ts';

const MEBIBYTE = 1024 * 1024;
const COUNT = 64;

const mongo = useEngine();
const database = () => mongo.client.db('test');

const order = (command: object) => orderBesidePing(mongo.client, () => database().command(command));

beforeAll(async () => {
  const text = 'x'.repeat(MEBIBYTE);
  for (let _id = 0; _id < COUNT; _id += 1) {
    await mongo.collection('large').insertOne({ _id, n: COUNT - _id, text });
  }
});

test('other commands go first while large documents are read that do not match', async () => {
  expect(await order({ find: 'large', filter: { text: 'absent' } })).toEqual(['ping', 'work']);
});

test('other commands go first while small parts of large documents are given', async () => {
  const find = { find: 'large', sort: { n: 1 }, projection: { n: 1 }, batchSize: 1 };
  // All documents have been read and sorted then.
  const { cursor } = await database().command(find);
  const rest = { getMore: cursor.id, collection: 'large', batchSize: COUNT };
  expect(await order(rest)).toEqual(['ping', 'work']);
});
