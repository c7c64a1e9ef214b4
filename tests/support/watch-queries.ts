import { addQueries, IS_WRITING, lineOf, listedQueries } from './listed-queries.ts';
import { type QueryShape, shapesOf, textOf } from './query-shapes.ts';
import { onEachCommand } from './sent-commands.ts';

// Runs around every test file: the gateway, the sweep, the erasure and the operators' commands ask no query that queries.txt does
// not have. tests/integration/queries.test.ts checks the index of each.

/** Collections of tests that copy or leave alone what others have made: they are not the gateway's. */
const FOREIGN = /^(?:doctor_[0-9a-f]{24}|empty|expired|notes|odd)$/;

const asked = new Map<string, QueryShape>();
const stopWatching = onEachCommand((name, command) => {
  for (const shape of shapesOf(name, command)) {
    asked.set(textOf(shape), shape);
  }
});

afterAll(() => {
  stopWatching();
  const listed = listedQueries();
  const unlisted = [...asked]
    .filter(([text, { collection }]) => !listed.has(text) && !FOREIGN.test(collection))
    .map(([, shape]) => lineOf(shape));
  if (IS_WRITING) {
    addQueries(unlisted);
    return;
  }
  expect({ 'lines that queries.txt lacks (WRITE_QUERIES=on adds them)': unlisted }).toEqual({
    'lines that queries.txt lacks (WRITE_QUERIES=on adds them)': [],
  });
});
