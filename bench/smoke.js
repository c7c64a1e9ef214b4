/*
 * npm run bench:smoke: the start time and memory of a built tree, compared with a bare Express server. Prints a table, and
 * never fails a build.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAIN, residentMebibytes, scratchFolder } from './support/server.js';
import { median } from './support/statistics.js';

const ROUNDS = 5;
const MEBIBYTE = 1024 * 1024;
const BARE_EXPRESS = `
  import express from 'express';
  const app = express();
  app.use((req, res) => res.status(401).json({}));
  const server = app.listen(process.env.PORT, '127.0.0.1');
`;

/** Starts a command in its own process group and waits for its first answer. */
async function start(command, args, port) {
  const folder = scratchFolder();
  const env = { ...process.env, PORT: String(port), ...folder.settings };
  const startedAt = performance.now();
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    await sleep(5);
  }
  const millis = performance.now() - startedAt;
  const stop = async () => {
    process.kill(-child.pid, 'SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    folder.remove();
  };
  return { url, pid: child.pid, millis, stop };
}

const answers = (url) =>
  fetch(`${url}/api/v1/auth/logout`, { method: 'POST' }).then(
    (response) => response.status === 401,
    () => false,
  );

async function startMillis(command, args, port) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const server = await start(command, args, port);
    rounds.push(server.millis);
    await server.stop();
  }
  return median(rounds);
}

/** Registers a doctor with three documents of 10 MiB through an API, and returns the rise of the memory meanwhile. */
async function uploadRise(server, register) {
  const before = residentMebibytes(server.pid);
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(server.pid));
  }, 5);
  const response = await register(server.url);
  clearInterval(sampler);
  if (!response.ok) {
    throw new Error(`the registration failed: ${await response.text()}`);
  }
  return peak - before;
}

const document = new Blob(['%PDF-1.7\n', new Uint8Array(10 * MEBIBYTE - 9)], { type: 'application/pdf' });
const texts = { name: 'Dr. Bench', phone: '1', password: 'correct horse', specialization: 'Speed' };

function registerByRest(url) {
  const form = new FormData();
  const fields = { ...texts, email: 'rest@bench.example', license_number: '1' };
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  for (const name of ['license_file', 'diploma_file', 'certification_file']) {
    form.append(name, document, 'a.pdf');
  }
  return fetch(`${url}/api/v1/auth/register/doctor`, { method: 'POST', body: form });
}

function registerByGraphql(url) {
  const files = ['licenseFile', 'diplomaFile', 'certificationFile'];
  const input = { ...texts, email: 'graphql@bench.example', licenseNumber: '1' };
  const variables = { input: { ...input, ...Object.fromEntries(files.map((name) => [name, null])) } };
  const query = 'mutation ($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';
  const form = new FormData();
  form.append('operations', JSON.stringify({ query, variables }));
  form.append(
    'map',
    JSON.stringify(Object.fromEntries(files.map((name, i) => [i, [`variables.input.${name}`]]))),
  );
  for (const i of files.keys()) {
    form.append(String(i), document, 'a.pdf');
  }
  return fetch(`${url}/graphql`, {
    method: 'POST',
    body: form,
    headers: { 'apollo-require-preflight': '1' },
  });
}

const bareMillis = await startMillis(process.execPath, ['--input-type=module', '-e', BARE_EXPRESS], 4811);
const npmMillis = await startMillis('npm', ['start', '--silent'], 4812);
const nodeMillis = await startMillis(process.execPath, MAIN, 4813);

const bare = await start(process.execPath, ['--input-type=module', '-e', BARE_EXPRESS], 4814);
await sleep(2_000);
const bareIdle = residentMebibytes(bare.pid);
await bare.stop();

const server = await start(process.execPath, MAIN, 4815);
await sleep(2_000);
const idle = residentMebibytes(server.pid);
const restRise = await uploadRise(server, registerByRest);
await sleep(1_000);
const graphqlRise = await uploadRise(server, registerByGraphql);
await server.stop();

const ratio = (value, yardstick) => `${(value / yardstick).toFixed(1)}x`;
console.table([
  {
    what: 'npm start to first answer',
    value: `${npmMillis.toFixed(0)} ms`,
    limit: '1500 ms',
    'bare Express': ratio(npmMillis, bareMillis),
  },
  {
    what: 'node dist/main.js to first answer',
    value: `${nodeMillis.toFixed(0)} ms`,
    limit: '',
    'bare Express': ratio(nodeMillis, bareMillis),
  },
  {
    what: 'resident, idle',
    value: `${idle.toFixed(0)} MiB`,
    limit: '160 MB',
    'bare Express': ratio(idle, bareIdle),
  },
  {
    what: 'rise by 3 x 10 MiB, REST',
    value: `${restRise.toFixed(1)} MiB`,
    limit: '32 MB',
    'bare Express': '',
  },
  {
    what: 'rise by 3 x 10 MiB, GraphQL',
    value: `${graphqlRise.toFixed(1)} MiB`,
    limit: '32 MB',
    'bare Express': '',
  },
]);
