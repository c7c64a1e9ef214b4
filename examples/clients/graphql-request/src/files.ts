import type { RequestMiddleware } from 'graphql-request';

/** Sends an input with files as a multipart request: first `operations`, then `map`, then the files. */
export const sendFiles: RequestMiddleware<{ input?: object }> = (request) => {
  const input = request.variables?.input ?? {};
  const files = Object.entries(input).filter((field): field is [string, File] => field[1] instanceof File);
  if (files.length === 0) {
    return request;
  }
  // In the JSON, each file is null.
  const texts = { ...input, ...Object.fromEntries(files.map(([name]) => [name, null])) };
  const { query } = JSON.parse(String(request.body));
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables: { input: texts } }));
  form.append(
    'map',
    JSON.stringify(Object.fromEntries(files.map(([name]) => [name, [`variables.input.${name}`]]))),
  );
  for (const [name, file] of files) {
    form.append(name, file);
  }
  const headers = new Headers(request.headers);
  // `fetch` sets it, with the boundary of the form.
  headers.delete('Content-Type');
  // The gateway reads a multipart request only with this header, because forms of other sites cannot send it.
  headers.set('Apollo-Require-Preflight', 'true');
  return { ...request, headers, body: form };
};
