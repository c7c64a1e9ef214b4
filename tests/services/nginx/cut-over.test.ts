import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inUrl, ORDINARY_NAMES } from '../../support/document-names.ts';
import { aPdfOf } from '../../support/documents.ts';
import { type GatewayProcess, useWorkshop } from '../../support/gateway-process.ts';
import { send } from '../../support/http.ts';
import { freePort, listenOnFreePort } from '../../support/listen.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { filesOfTheMove, type Nginx, startNginx } from '../support/nginx.ts';

// The files of deploy/nginx/move in a real nginx before a real gateway. The operator's commands switch between them.
const CURRENT = 'auth-gateway/current.conf';
const MIB = 1_048_576;
const workshop = useWorkshop();

let legacy: Server;
let nginx: Nginx;
let gatewayPort: number;
beforeAll(async () => {
  legacy = createServer(async (req, res) => {
    const { length } = await buffer(req);
    const { 'x-forwarded-for': from } = req.headers;
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ legacy: `${req.method} ${req.url}`, length, from }));
  });
  gatewayPort = await freePort();
  const addresses = {
    '127.0.0.1:8000': `127.0.0.1:${await listenOnFreePort(legacy)}`,
    '127.0.0.1:4000': `127.0.0.1:${gatewayPort}`,
  };
  nginx = await startNginx(await filesOfTheMove(), addresses, {
    [CURRENT]: 'legacy.conf',
  });
});
afterAll(async () => {
  await nginx.stop();
  legacy.close().closeAllConnections();
});

/** Asks somebody else than the gateway, whose answers need not be as schema/openapi.yaml says. */
async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(nginx.url + path, init);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const PATHS = ['/api/v1/auth/login', '/storage/doctor_profiles/licenses/x.pdf', '/api/v1/user', '/'];

test('before the switch the legacy service answers everything', async () => {
  for (const path of PATHS) {
    expect((await ask(path, { method: 'POST' })).body).toMatchObject({ legacy: `POST ${path}` });
  }
  const body = Buffer.alloc(31 * MIB);
  expect((await ask('/api/v1/auth/register/doctor', { method: 'POST', body })).body.length).toBe(body.length);
});

test('during the maintenance callers of the API get 503 as JSON, and everything else works', async () => {
  await nginx.switchTo(CURRENT, 'maintenance.conf');
  const [login = '', ...others] = PATHS;
  for (const method of ['GET', 'POST']) {
    const { status, headers, body } = await ask(login, { method });
    expect({ status, body }).toEqual({ status: 503, body: { message: 'Service Unavailable' } });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('retry-after')).toBe('60');
  }
  for (const path of others) {
    expect((await ask(path)).body).toMatchObject({ legacy: `GET ${path}` });
  }
});

test('after the way back the legacy service answers URLs of documents in both forms', async () => {
  await nginx.switchTo(CURRENT, 'back.conf');
  const name = `${'n'.repeat(40)}.pdf`;
  for (const group of ['licenses', 'diplomas', 'certifications']) {
    const stored = `/storage/doctor_profiles/${group}/${name}`;
    expect((await ask(stored)).body).toMatchObject({ legacy: `GET ${stored}` });
    expect((await ask(`/storage/${group}/${name}`)).body).toMatchObject({ legacy: `GET ${stored}` });
    // As a gateway with DOCUMENT_ACCESS=signed has answered it.
    const signed = `/storage/${group}/${name}?expires=1&signature=x`;
    expect((await ask(signed)).body).toMatchObject({ legacy: `GET ${stored}?expires=1&signature=x` });
  }
  for (const other of [...PATHS, '/storage/licenses/other.pdf', '/storage/avatars/1.png']) {
    expect((await ask(other)).body).toMatchObject({ legacy: `GET ${other}` });
  }
});

test('after the switch, while the gateway is unreachable, callers get 503 as JSON', async () => {
  await nginx.switchTo(CURRENT, 'gateway.conf');
  for (const path of ['/api/v1/auth/login', '/storage/licenses/x.pdf']) {
    const { status, headers, body } = await ask(path, { method: 'POST' });
    expect({ status, body }).toEqual({ status: 503, body: { message: 'Service Unavailable' } });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('retry-after')).toBe('2');
  }
  expect((await ask('/api/v1/user')).body).toMatchObject({ legacy: 'GET /api/v1/user' });
});

describe('after the switch', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    await nginx.switchTo(CURRENT, 'gateway.conf');
    gateway = workshop.start({ PORT: String(gatewayPort), BASE_URL: nginx.url, TRUST_PROXY: '1' });
    await gateway.url();
  });

  test('the gateway answers the API and the documents, and the legacy service everything else', async () => {
    const api = restApi(nginx.url);
    const patient = aPatient();
    expect((await api.registerPatient(patient)).http.status).toBe(201);
    expect((await api.login(patient)).http.status).toBe(200);
    const missing = await send(`${nginx.url}/storage/doctor_profiles/licenses/${'x'.repeat(40)}.pdf`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get('x-request-id')).not.toBeNull();
    for (const path of ['/api/v1/user', '/api/v1/authors', '/storages', '/']) {
      expect((await ask(path)).body).toMatchObject({ legacy: `GET ${path}` });
    }
  });

  test('a doctor registers with three documents of 10 MiB, and their addresses lead to them', async () => {
    const [licenseFile, diplomaFile] = [aPdfOf(10 * MIB), aPdfOf(10 * MIB)];
    const doctor = aDoctor({ licenseFile, diplomaFile, certificationFile: aPdfOf(10 * MIB) });
    const outcome = await restApi(nginx.url).registerDoctor(doctor);
    const licenseFileUrl = (outcome.ok && outcome.profile?.licenseFileUrl) || '';
    expect(licenseFileUrl).toContain(`${nginx.url}/storage/licenses/`);
    expect((await send(licenseFileUrl)).bytes.equals(licenseFile.bytes)).toBe(true);
  });

  test('a body that is larger than three documents is refused as JSON by the gateway', async () => {
    const { http } = await restApi(nginx.url).registerDoctor(aDoctor({ licenseFile: aPdfOf(40 * MIB) }));
    expect(http.status).toBe(413);
  });

  test('the gateway sees the address of the caller, whatever the caller claims', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    const request = { method: 'POST', path: '/api/v1/auth/logout', headers, localAddress: '127.0.0.2' };
    expect((await sendRaw(nginx.url, request)).status).toBe(401);
    await gateway.printed('"ip":"127.0.0.2"');
    expect(gateway.stdout).toContain('"ip":"127.0.0.2"');
    expect(gateway.stdout).not.toContain('192.0.2.1');
  });

  test('the gateway answers imported documents with ordinary names, and the legacy service gets them unchanged before', async () => {
    const folder = path.join(workshop.folder, 'storage/doctor_profiles/licenses');
    await mkdir(folder, { recursive: true });
    const where = (name: string) => `/storage/doctor_profiles/licenses/${inUrl(name)}`;
    for (const name of ORDINARY_NAMES) {
      await writeFile(path.join(folder, name), name);
      const { status, text } = await send(nginx.url + where(name));
      expect([name, status, text]).toEqual([name, 200, name]);
    }
    for (const file of ['legacy.conf', 'back.conf']) {
      await nginx.switchTo(CURRENT, file);
      for (const name of ORDINARY_NAMES) {
        expect((await ask(where(name))).body).toMatchObject({ legacy: `GET ${where(name)}` });
      }
    }
  });
});
