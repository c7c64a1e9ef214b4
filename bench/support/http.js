import { request } from 'node:http';

/** Sends a body in chunks and returns the whole answer. */
export function post(port, path, headers, chunks, agent) {
  return new Promise((resolve, reject) => {
    const req = request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent }, (res) => {
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

/** Sends JSON, with a bearer token if one is given. */
export function postJson(port, path, value, { agent, token } = {}) {
  const body = Buffer.from(JSON.stringify(value));
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  return post(port, path, headers, [body], agent);
}

/** Registers a patient and returns the token. */
export async function registerPatient(port, email, password) {
  const patient = { name: 'Bench', email, password };
  const { status, text } = await postJson(port, '/api/v1/auth/register/patient', patient);
  if (status >= 300) {
    throw new Error(`the registration failed: ${status} ${text}`);
  }
  return JSON.parse(text).data?.token ?? JSON.parse(text).token;
}
