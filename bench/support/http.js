import { request } from 'node:http';

/** Sends a body in chunks and returns the whole answer. A request that the signal aborts fails. */
export function post(port, path, headers, chunks, agent, signal, method = 'POST') {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, method, headers, agent, signal };
    const req = request(options, (res) => {
      let text = '';
      res.on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode, text }));
      res.on('error', reject);
    });
    req.on('error', reject);
    for (const chunk of chunks) {
      req.write(chunk);
    }
    req.end();
  });
}

/** Sends JSON, by POST unless another method is given, with a bearer token if one is given, from an address behind a proxy. */
export function postJson(port, path, value, { agent, token, from, signal, method } = {}) {
  const body = Buffer.from(JSON.stringify(value));
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(from && { 'X-Forwarded-For': from }),
  };
  return post(port, path, headers, [body], agent, signal, method);
}

/** Registers a patient and returns the token. */
export async function registerPatient(port, email, password, options) {
  const patient = { name: 'Bench', email, password };
  const { status, text } = await postJson(port, '/api/v1/auth/register/patient', patient, options);
  if (status >= 300) {
    throw new Error(`the registration failed: ${status} ${text}`);
  }
  return JSON.parse(text).data?.token ?? JSON.parse(text).token;
}
