import { readFileSync } from 'node:fs';

test('Node.js without a cache of compiled code is still supported', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  // If it is not, src/patches/compiled-code.ts needs not look whether there is one.
  expect(engines.node).toMatch(/^>=20\./);
});
