/*
 * npm run bench:uploads: the speed of uploads compared with busboy that writes straight to disk, the rise of the memory during
 * 20 uploads, and the time of a login during 200 stalled ones. Prints a table, and never fails a build.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  BOUNDARY,
  doctorOf,
  END,
  filePart,
  formHeaders,
  pdfOf,
  restForm,
  textPart,
} from './support/doctor-form.js';
import { post } from './support/http.js';
import { MAIN, residentMebibytes, startServer } from './support/server.js';
import { median } from './support/statistics.js';

const ROUNDS = 15;
const IN_FLIGHT = 20;
/** The rise of the memory depends on the time of garbage collections, so it is a median of several processes. */
const FRESH_STARTS = 5;
const STALLED = 200;
const LOGINS = 60;
const STALL_SECONDS = 20;
const MEBIBYTE = 1024 * 1024;
const YARDSTICK = fileURLToPath(new URL('./yardsticks/busboy-to-disk.js', import.meta.url));

const start = (args, port, settings = {}) =>
  startServer(args, port, {
    RATE_LIMIT: 'off',
    BCRYPT_COST: '4',
    UPLOAD_STALL_SECONDS: String(STALL_SECONDS),
    // All uploads come from one address.
    MAX_ADDRESS_UPLOADS: '300',
    MAX_ADDRESS_UPLOAD_BYTES: String(400 * 31 * MEBIBYTE),
    MAX_UPLOAD_BYTES: String(400 * 31 * MEBIBYTE),
    ...settings,
  });

const document = pdfOf(10 * MEBIBYTE);
let people = 0;
const nextEmail = () => {
  people += 1;
  return `${people}@bench.example`;
};

const restParts = () => restForm(nextEmail(), document);

function graphqlParts() {
  const names = ['licenseFile', 'diplomaFile', 'certificationFile'];
  const files = Object.fromEntries(names.map((name) => [name, null]));
  const variables = { input: { ...doctorOf(nextEmail()), licenseNumber: '1', ...files } };
  const query = 'mutation ($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';
  const map = Object.fromEntries(names.map((name) => [name, [`variables.input.${name}`]]));
  return [
    textPart('operations', JSON.stringify({ query, variables })),
    textPart('map', JSON.stringify(map)),
    ...names.flatMap((name) => filePart(name, document)),
    END,
  ];
}

const APIS = {
  yardstick: { path: '/', parts: restParts },
  REST: { path: '/api/v1/auth/register/doctor', parts: restParts },
  GraphQL: { path: '/graphql', parts: graphqlParts },
};

async function upload(port, api) {
  const parts = api.parts();
  const headers = {
    ...formHeaders(parts),
    'Apollo-Require-Preflight': '1',
  };
  const { status, text: answer } = await post(port, api.path, headers, parts);
  if (status >= 400 || answer.includes('"errors"')) {
    throw new Error(`the upload failed: ${answer}`);
  }
}

async function timed(run) {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** In turns, so that other load on the machine affects all alike. */
async function speeds(servers) {
  const millis = { yardstick: [], REST: [], GraphQL: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of Object.keys(APIS)) {
      const { port } = name === 'yardstick' ? servers.yardstick : servers.gateway;
      millis[name].push(await timed(() => upload(port, APIS[name])));
    }
  }
  return Object.fromEntries(
    Object.entries(millis).map(([name, values]) => [name, 30 / (median(values) / 1000)]),
  );
}

/** The rise of the memory during uploads. */
async function riseInFlight({ port, pid }, api) {
  const before = residentMebibytes(pid);
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(pid));
  }, 5);
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => upload(port, api)));
  clearInterval(sampler);
  return peak - before;
}

const agent = new Agent({ keepAlive: true });
async function loginMillis(port) {
  const body = JSON.stringify({ email: '1@bench.example', password: 'correct horse' });
  const headers = { 'Content-Type': 'application/json' };
  const values = [];
  for (let i = 0; i < LOGINS; i += 1) {
    values.push(await timed(() => post(port, '/api/v1/auth/login', headers, [body], agent)));
  }
  return median(values);
}

/** Opens uploads that send a byte a second, and returns the outcome of each. */
function stall(port, count) {
  return Array.from({ length: count }, () => {
    const headers = {
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length': 30 * MEBIBYTE,
    };
    const req = request({
      port,
      host: '127.0.0.1',
      path: APIS.REST.path,
      method: 'POST',
      headers,
      agent: false,
    });
    for (const part of restParts().slice(0, 8)) {
      req.write(part);
    }
    const drip = setInterval(() => req.write('x'), 1000);
    const ended = new Promise((resolve) => {
      req.once('response', (res) => {
        res.resume();
        resolve(res.statusCode);
      });
      req.on('error', () => resolve('cut'));
    }).finally(() => clearInterval(drip));
    return ended;
  });
}

const yardstick = await start([YARDSTICK], 4821);
const gateway = await start(MAIN, 4822);
await upload(gateway.port, APIS.REST);
await upload(gateway.port, APIS.GraphQL);
const speed = await speeds({ yardstick, gateway });
await yardstick.stop();
await gateway.stop();

const rises = {};
for (const name of ['REST', 'GraphQL']) {
  rises[name] = [];
  for (let round = 0; round < FRESH_STARTS; round += 1) {
    const fresh = await start(MAIN, 4823);
    await upload(fresh.port, APIS[name]);
    await sleep(1000);
    rises[name].push(await riseInFlight(fresh, APIS[name]));
    await fresh.stop();
  }
}

people = 0;
const stalled = await start(MAIN, 4824, { BCRYPT_COST: '10' });
await upload(stalled.port, APIS.REST);
await loginMillis(stalled.port);
const calm = await loginMillis(stalled.port);
const startedAt = performance.now();
const ends = stall(stalled.port, STALLED);
await sleep(1000);
const busy = await loginMillis(stalled.port);
const statuses = await Promise.all(ends);
const lastCutSeconds = (performance.now() - startedAt) / 1000;
await stalled.stop();
agent.destroy();

const percent = (value, base) => `${((100 * value) / base).toFixed(0)} %`;
const rows = [
  {
    what: 'busboy straight to disk, 3 x 10 MiB',
    value: `${speed.yardstick.toFixed(0)} MiB/s`,
    ratio: '',
    limit: '',
  },
  ...['REST', 'GraphQL'].map((name) => ({
    what: `${name}, 3 x 10 MiB`,
    value: `${speed[name].toFixed(0)} MiB/s`,
    ratio: percent(speed[name], speed.yardstick),
    limit: '>= 70 %',
  })),
  ...['REST', 'GraphQL'].map((name) => ({
    what: `memory with ${IN_FLIGHT} uploads in flight, ${name}`,
    value: `${median(rises[name]).toFixed(1)} MiB`,
    ratio: `at most ${Math.max(...rises[name]).toFixed(1)} MiB`,
    limit: '<= 32 MB',
  })),
  {
    what: `login beside ${STALLED} stalled uploads`,
    value: `${busy.toFixed(1)} ms`,
    ratio: percent(busy, calm),
    limit: '<= 110 %',
  },
  {
    what: 'stalled uploads cut',
    value: `${statuses.filter((status) => status === 408).length} by 408`,
    ratio: `last after ${lastCutSeconds.toFixed(0)} s`,
    limit: `${2 * STALL_SECONDS} s`,
  },
];
console.table(rows);
