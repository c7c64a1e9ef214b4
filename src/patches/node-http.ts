// Node.js 24: `node:http` and `node:https` without an `import` of them.
//
// Why: an `import` reads all exports of the module, and with them loads the client of `fetch` and HTTP/2: 75 files and 4 MiB, of
// which the gateway uses none.
// It can go when tests/unit/patches/node-http.test.ts fails, because an `import` does not load them any more.
export const { createServer, request, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
export const { request: requestHttps } = process.getBuiltinModule('node:https');
