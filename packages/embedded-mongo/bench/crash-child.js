// Writes under load until it is killed. Its standard output has a line before each write ("try") and after its
// acknowledgement ("done"), with the document and its new version; version 0 is deleted.
import { writeSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { startEmbeddedMongo } from '../dist/index.js';

const [path, round, journaled] = process.argv.slice(2);
const WORKERS = 8;

const say = (line) => writeSync(1, `${line}\n`);

const engine = await startEmbeddedMongo({ path });
const client = await new MongoClient(engine.uri).connect();
const writeConcern = journaled === 'journaled' ? { w: 'majority', j: true } : { w: 1 };
const documents = client.db('crash').collection('documents', { writeConcern });
await documents.createIndex({ unique: 1 }, { unique: true });
await documents.createIndex({ tags: 1, version: -1 });

/** Inserts a document, updates it a few times, and deletes every other one. */
async function live(id) {
  const step = async (version, write) => {
    say(`try ${id} ${version}`);
    await write();
    say(`done ${id} ${version}`);
  };
  const tags = (version) => [`a${version % 3}`, `b${version % 5}`];
  await step(1, () => documents.insertOne({ _id: id, unique: `unique ${id}`, version: 1, tags: tags(1) }));
  // The unique index must refuse this. The check would see a second document.
  await documents.insertOne({ _id: `${id} twin`, unique: `unique ${id}` }).catch((error) => {
    if (error.code !== 11000) {
      throw error;
    }
  });
  for (let version = 2; version < 6; version++) {
    await step(version, () =>
      documents.updateOne(
        { _id: id },
        { $set: { version, tags: tags(version), padding: 'x'.repeat(version * 300) } },
      ),
    );
  }
  if (Math.random() < 0.5) {
    await step(0, () => documents.deleteOne({ unique: `unique ${id}` }));
  }
}

await Promise.all(
  Array.from({ length: WORKERS }, async (_, worker) => {
    for (let i = 0; ; i++) {
      await live(`${round}-${worker}-${i}`);
    }
  }),
);
