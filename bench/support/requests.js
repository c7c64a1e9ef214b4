/** The head of a request. It is the whole request if there is no body. */
export function head(path, headers, method = 'POST') {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
}

const bearer = (token) => token && { Authorization: `Bearer ${token}` };

/** A request as bytes, from the arguments of `fetch`. */
export function wholeRequest({ method, path, headers, body = '' }) {
  const bytes = Buffer.from(body);
  const length = bytes.length > 0 && { 'Content-Length': bytes.length };
  return Buffer.concat([head(path, { ...headers, ...length }, method), bytes]);
}

/** A request with a JSON body, with a bearer token if one is given. */
export const jsonRequest = (path, value, token) =>
  wholeRequest({
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json', ...bearer(token) },
    body: JSON.stringify(value),
  });

export const loginRequest = (email, password) => jsonRequest('/api/v1/auth/login', { email, password });

export const meRequest = (token) =>
  jsonRequest('/graphql', { query: '{ me { id name email role } }' }, token);

export const logoutRequest = (token) =>
  head('/api/v1/auth/logout', { 'Content-Length': 0, ...bearer(token) });
