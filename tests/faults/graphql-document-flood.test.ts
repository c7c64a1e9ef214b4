import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jsonOf, sendJson } from '../support/http.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';

const app = useTestApp({}, undefined, ...REAL_TIME);
const COMMENT_CHARACTERS = 90_000;
const DOCUMENTS = 300;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is in use, in bytes, when all that is not has gone. */
function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const ask = async (index: number) => {
  const query = `{ __typename } # ${index} ${'x'.repeat(COMMENT_CHARACTERS)}`;
  expect(jsonOf(await sendJson(`${app.url}/graphql`, { query }))).toEqual({ data: { __typename: 'Query' } });
};

test('documents that differ only in a long comment do not accumulate in memory', async () => {
  for (let index = 0; index < 20; index += 1) {
    await ask(index);
  }
  const before = heapBytes();
  for (let index = 20; index < DOCUMENTS; index += 1) {
    await ask(index);
  }
  expect(heapBytes() - before).toBeLessThan((DOCUMENTS * COMMENT_CHARACTERS) / 3);
});
