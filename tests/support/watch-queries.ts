import { listedQueries, rowOf } from './listed-queries.ts';
import { type QueryShape, shapesOf, textOf } from './query-shapes.ts';
import { onEachCommand } from './sent-commands.ts';

// Runs around every test file: the gateway, the sweep, the erasure and the operators' commands ask no query that docs/queries.md
// does not have. tests/integration/queries.test.ts checks the index of each.

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
    .map(([, shape]) => rowOf(shape));
  // A new row needs the index that is to serve it.
  expect({ 'rows that docs/queries.md lacks': unlisted }).toEqual({ 'rows that docs/queries.md lacks': [] });
});
