import { fileURLToPath } from 'node:url';

const PASSWORD = 'correct horse';

/** Every user is new, so that a server can be prepared more than once. */
const newEmail = () => `${crypto.randomUUID()}@bench.example`;

const scriptAt = (name) => fileURLToPath(new URL(name, import.meta.url));

const jsonPost = (path, value, headers = {}) => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** Sends a request, and returns the headers and JSON of the answer. */
async function send(url, { path, ...init }) {
  const response = await fetch(url + path, init);
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${init.method} ${url}${path} was answered ${response.status}: ${text}`);
  }
  return { headers: response.headers, json: JSON.parse(text) };
}

async function prepareParseServer(url) {
  const email = newEmail();
  const application = { 'x-parse-application-id': 'bench' };
  const account = { username: email, email, password: PASSWORD };
  await send(url, jsonPost('/users', account, application));
  const login = jsonPost('/login', { email, password: PASSWORD }, application);
  const { json } = await send(url, login);
  const headers = { ...application, 'x-parse-session-token': json.sessionToken };
  return { email, login, whoAmI: { method: 'GET', path: '/users/me', headers } };
}

async function prepareBetterAuth(url) {
  const email = newEmail();
  // It requires an Origin with Sec-Fetch-Mode, which Node's fetch sends.
  const origin = { origin: url };
  await send(url, jsonPost('/api/auth/sign-up/email', { name: 'Bench', email, password: PASSWORD }, origin));
  const login = jsonPost('/api/auth/sign-in/email', { email, password: PASSWORD }, origin);
  const { headers } = await send(url, login);
  const authorization = `Bearer ${headers.get('set-auth-token')}`;
  return {
    email,
    login,
    whoAmI: { method: 'GET', path: '/api/auth/get-session', headers: { authorization } },
  };
}

/**
 * Prepares the gateway in the same way as the neighbours: `prepare(url)` registers a user, logs in, and returns the two
 * measured requests, each `{ method, path, headers, body }`. A correct answer has a status of 2xx and contains `email`.
 */
export async function prepareGateway(url) {
  const email = newEmail();
  await send(url, jsonPost('/api/v1/auth/register/patient', { name: 'Bench', email, password: PASSWORD }));
  const login = jsonPost('/api/v1/auth/login', { email, password: PASSWORD });
  const { json } = await send(url, login);
  const query = '{ me { id name email role } }';
  return { email, login, whoAmI: jsonPost('/graphql', { query }, { authorization: `Bearer ${json.token}` }) };
}

/** Each `script` is a server that takes MONGODB_URI and PORT and prints a line with its address when it is ready. */
export const NEIGHBOURS = [
  { name: 'parse-server', script: scriptAt('parse-server.js'), prepare: prepareParseServer },
  { name: 'better-auth', script: scriptAt('better-auth.js'), prepare: prepareBetterAuth },
];
