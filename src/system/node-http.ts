/**
 * `node:http`. An `import` of it reads all of its exports, and with them loads the client of `fetch` and HTTP/2: 75 files, of
 * which the gateway uses none.
 */
export const { createServer, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  process.getBuiltinModule('node:http');
