// Node.js 24: `node:http` without an `import` of it.
//
// Why: an `import` reads all exports of the module, and with them loads the client of `fetch` and HTTP/2: 75 files, of which the
// gateway uses none.
// It can go when tests/unit/patches/node-http.test.ts fails, because an `import` does not load them any more.
export const { createServer, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
