import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/*
 * In a process of its own, which ends although connections stay open. Argument: the address of the database. It prints after how many
 * turns of the event loop since the loss of the database a close of the driver did not end.
 */
const PROGRAM = `
  import { once } from 'node:events';
  import { connect, createServer } from 'node:net';
  import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
  import { MongoClient } from 'mongodb';

  const { hostname, port } = new URL(process.argv[1]);
  const sockets = [];
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('error', () => {}).pipe(far.on('error', () => {})).pipe(near);
    sockets.push(near, far);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const uri = 'mongodb://127.0.0.1:' + proxy.address().port + '/?directConnection=true';
  const closing = [];
  for (let turns = 0; turns <= 6; turns += 1) {
    const client = await new MongoClient(uri).connect();
    await client.db().admin().ping();
    sockets.splice(0).forEach((socket) => socket.destroy());
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    closing.push(Promise.race([client.close().then(() => []), wait(500, [turns])]));
  }
  console.log(JSON.stringify((await Promise.all(closing)).flat()));
  process.exit();
`;

test('the driver still never ends a close in some turns of the event loop after the loss of the database', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM, process.env.TEST_DATABASE_URI ?? ''];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  // If it always ends by now, src/patches/mongodb-writes.ts can go.
  expect(JSON.parse(stdout)).not.toEqual([]);
});
