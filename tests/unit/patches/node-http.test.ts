import { execFileSync } from 'node:child_process';

/** The client of `fetch` and HTTP/2. */
const CLIENTS = ['NativeModule internal/deps/undici/undici', 'NativeModule internal/http2/core'];

/** The clients that a program has loaded. */
const loadedBy = (program: string): string[] => {
  const script = `${program}; console.log(JSON.stringify(process.moduleLoadList))`;
  const args = ['--input-type=module', '--eval', script];
  const loaded = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[];
  return CLIENTS.filter((name) => loaded.includes(name));
};

test('from Node.js 24 on, an import of node:http loads the clients of fetch and HTTP/2', () => {
  // If it does not by now, src/patches/node-http.ts can go.
  const isNewer = Number.parseInt(process.versions.node, 10) >= 24;
  expect(isNewer && loadedBy("import 'node:http'").length === 0).toBe(false);
});

test('node:http and node:https by getBuiltinModule do not load them', () => {
  expect(loadedBy("process.getBuiltinModule('node:http')")).toEqual([]);
  expect(loadedBy("process.getBuiltinModule('node:https')")).toEqual([]);
});
