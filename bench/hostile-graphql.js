/*
 * npm run bench:hostile [-- <word>]: the longest time for which one request holds the event loop of the gateway, for requests that
 * are made to take long. With a word, only the requests whose name contains it. The goal is 50 ms. Never fails a build.
 */
import { hostileRequests } from './support/hostile-requests.js';
import { MAIN, startServer } from './support/server.js';
import { watchLoop } from './support/watched-loop.js';

const GOAL_MILLIS = 50;
const ROUNDS = 5;
/** One round is enough to see such a block. */
const LONG_MILLIS = 1_000;
const loop = watchLoop(4972);
const SETTINGS = {
  HOST: '127.0.0.1',
  BASE_URL: 'http://gateway.example',
  EMBEDDED_DATABASE: 'allow',
  RATE_LIMIT: 'off',
  BCRYPT_COST: '4',
  FEDERATION: 'on',
  ...loop.settings,
};
const MODES = {
  production: { NODE_ENV: 'production' },
  'introspection on': { NODE_ENV: 'development', GRAPHQL_INTROSPECTION: 'on' },
};

/** The least of several rounds: what is left is the work of the request, and not that of other processes. */
async function measure(port, send) {
  const blocks = [];
  let answer;
  while (blocks.length < ROUNDS && !(blocks[0] > LONG_MILLIS)) {
    await loop.longestBlock();
    answer = await send(port);
    blocks.push(await loop.longestBlock());
  }
  return { ...answer, millis: Math.min(...blocks) };
}

const word = process.argv[2] ?? '';
for (const [mode, settings] of Object.entries(MODES)) {
  const gateway = await startServer(MAIN, 0, { ...SETTINGS, ...settings });
  console.log(`${mode}\n   block  status     bytes`);
  let over = 0;
  for (const { name, send } of await hostileRequests(gateway.port)) {
    if (name.includes(word)) {
      const { millis, status, bytes, text } = await measure(gateway.port, send);
      const shown = JSON.stringify(text.slice(0, 60));
      const verdict = millis > GOAL_MILLIS ? '  OVER' : '';
      over += verdict ? 1 : 0;
      console.log(
        `${millis.toFixed(1).padStart(8)}  ${status}  ${String(bytes).padStart(10)}  ${name}  ${shown}${verdict}`,
      );
    }
  }
  console.log(`${over} over ${GOAL_MILLIS} ms\n`);
  await gateway.stop();
}
