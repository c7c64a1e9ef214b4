import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { inUrl, ORDINARY_NAMES } from '../../support/document-names.ts';
import { aPdfOf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated } from '../../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../../support/gateway-process.ts';
import { jsonOf, send } from '../../support/http.ts';
import { freePort } from '../../support/listen.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { answerTo, openRequest, sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { type DeployedProxy, startDeployedCaddy, startDeployedNginx } from '../support/proxies.ts';

const MIB = 1_048_576;
const workshop = useWorkshop();

describe.each([
  {
    name: 'nginx',
    file: 'deploy/nginx/auth-gateway.conf',
    start: startDeployedNginx,
    peopleHost: 'login.example.org',
    repeatsBodies: true,
  },
  {
    name: 'Caddy',
    file: 'deploy/caddy/Caddyfile',
    start: startDeployedCaddy,
    peopleHost: 'people.localhost',
    // Before 2.9 it sends no request with a body again, and only leaves the instance out from its next check on.
    repeatsBodies: false,
  },
])('$name with $file', ({ start, peopleHost, repeatsBodies }) => {
  let proxy: DeployedProxy;
  let gateways: GatewayProcess[];
  beforeAll(async () => {
    const ports = [await freePort(), await freePort()] as const;
    proxy = await start(ports);
    // No collector is there, and none is needed: the log has the id of the trace.
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const people = { PEOPLE_URL: `https://${peopleHost}/people` };
    const settings = { BASE_URL: proxy.baseUrl, TRUST_PROXY: '1', ...people, ...traces };
    gateways = ports.map((port) => workshop.start({ PORT: String(port), ...settings }));
    await Promise.all(gateways.map((gateway) => gateway.url()));
    await eventually(async () => expect((await fetch(`${proxy.url}/readyz`)).status).toBe(200));
  });
  afterAll(() => proxy.stop());

  test('without TLS, pages lead to https, and passwords and tokens are refused', async () => {
    const ask = (init: RequestInit) => fetch(`${proxy.httpUrl}/docs?a=1`, { redirect: 'manual', ...init });
    const page = await ask({});
    expect([301, 302]).toContain(page.status);
    expect(page.headers.get('location')).toMatch(/^https:\/\/[^/]+\/docs\?a=1$/);
    for (const init of [{ method: 'POST' }, { headers: bearer('x') }]) {
      const refused = await ask(init);
      expect([refused.status, await refused.json()]).toEqual([403, { message: 'Use https.' }]);
    }
  });

  test('only the networks of operators reach the console and its API, however the path is spelled', async () => {
    const ask = (where: string, localAddress: string) => {
      const { hostname, port } = new URL(proxy.baseUrl);
      return new Promise<string>((resolve, reject) => {
        const options = { hostname, port, path: where, localAddress, rejectUnauthorized: false };
        const request = https.get(options, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve(`${response.statusCode} ${text}`));
        });
        request.on('error', reject);
      });
    };
    const paths = ['/console', '/console?a', '/operators/graphql', '/operators/', '/%6fperators/graphql'];
    for (const where of [...paths, '/x/../operators/graphql', '/./console', '/consol%65']) {
      expect(await ask(where, '127.0.0.2')).toBe('403 {"message":"Only from the networks of operators."}');
      expect(await ask(where, '127.0.0.1')).not.toMatch(/^403/);
    }
    expect(await ask('/readyz', '127.0.0.2')).toMatch(/^200/);
  });

  test('the host of the pages for people passes only them, what they load, and their API', async () => {
    const ask = (where: string) => sendRaw(proxy.url, { path: where, headers: { Host: peopleHost } });
    const page = await ask('/people');
    expect(page.status).toBe(200);
    const [script = ''] = /assets\/[\w.-]+\.js/.exec(page.text) ?? [];
    expect((await ask(`/${script}`)).status).toBe(200);
    expect((await ask('/graphql?query={__typename}')).text).toContain('__typename');
    const others = [
      '/',
      '/docs',
      '/console',
      '/operators/graphql',
      '/api',
      '/healthz',
      '/people/',
      '/peoplex',
    ];
    for (const where of [...others, '/assets/../console', '/assets/%2e%2e/docs']) {
      const { status, text } = await ask(where);
      expect([where, status, text]).toEqual([where, 404, '{"message":"Not Found"}']);
    }
    expect((await sendRaw(proxy.url, { path: '/people' })).status).toBe(200);
  });

  test('a doctor registers with documents of 10 MiB, whose addresses lead to them and are in no log', async () => {
    const [licenseFile, diplomaFile] = [aPdfOf(10 * MIB), aPdfOf(10 * MIB)];
    const doctor = aDoctor({ licenseFile, diplomaFile, certificationFile: aPdfOf(10 * MIB) });
    const registered = await restApi(proxy.url).registerDoctor(doctor);
    const licenseFileUrl = (registered.ok && registered.profile?.licenseFileUrl) || '';
    expect(licenseFileUrl).toContain(`${proxy.baseUrl}/storage/licenses/`);
    const { pathname } = new URL(licenseFileUrl);
    const document = await send(`${proxy.url}${pathname}?signature=secret`);
    expect(document.bytes.equals(licenseFile.bytes)).toBe(true);
    expect(document.headers.get('strict-transport-security')).toContain('max-age=');
    await eventually(async () => expect(await proxy.log()).toContain('/storage/licenses/'));
    expect(await proxy.log()).not.toContain(pathname);
    expect(await proxy.log()).not.toContain('signature=secret');
  });

  test('imported documents with ordinary names are found, and none on the way around them', async () => {
    const folder = path.join(workshop.folder, 'storage/doctor_profiles/licenses');
    await mkdir(folder, { recursive: true });
    for (const name of ORDINARY_NAMES) {
      await writeFile(path.join(folder, name), name);
      const { status, text } = await send(`${proxy.url}/storage/doctor_profiles/licenses/${inUrl(name)}`);
      expect([name, status, text]).toEqual([name, 200, name]);
    }
    for (const where of ['licenses%2flicense', 'x/%2e%2e/licenses/license', 'licenses/%256cicense']) {
      const { status } = await sendRaw(proxy.url, { path: `/storage/doctor_profiles/${where}` });
      expect([where, status]).toEqual([where, 404]);
    }
  });

  test('the gateway sees the address of the caller, a new request id and a new trace, whatever the caller claims', async () => {
    const trace = randomBytes(16).toString('hex');
    const headers = {
      'X-Forwarded-For': '192.0.2.1',
      'X-Request-Id': randomUUID(),
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    };
    const seen = await sendRaw(proxy.url, { path: '/api/v1/user', headers });
    expect(seen.status).toBe(401);
    const requestId = seen.headers.get('x-request-id') ?? '';
    expect(requestId).not.toBe(headers['X-Request-Id']);
    await eventually(async () => {
      const lines = gateways.flatMap(({ stdout }) => stdout.split('\n'));
      const line = lines.find((each) => each.includes(requestId));
      expect(line).toContain('"ip":"127.0.0.1"');
      expect(line).toContain('"trace_id":');
      expect(line).not.toContain(trace);
      expect(await proxy.log()).toContain(requestId);
    });
  });

  test('the gateway refuses a body that is too large before it comes, as JSON', async () => {
    const [path, length] = ['/api/v1/auth/register/doctor', 40 * MIB];
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': length };
    const req = openRequest(proxy.url, { method: 'POST', path, headers });
    req.write('--x\r\n');
    const refused = await answerTo(req);
    req.destroy();
    expect(refused.status).toBe(413);
    expect(jsonOf(refused)).toEqual({ message: 'The POST data is too large.' });
  });

  test('callers notice nothing when one instance is killed, and get 503 as JSON when both are', async () => {
    const [first, second] = gateways;
    const api = restApi(proxy.url);
    await first?.kill();
    for (let count = 0; count < 4; count += 1) {
      expect((await send(`${proxy.url}/api/v1/user`)).status).toBe(401);
    }
    const register = async () => authenticated(await api.registerPatient(aPatient()));
    await (repeatsBodies ? register() : eventually(register));
    await second?.kill();
    const refused = await api.login(aPatient());
    expect(refused).toMatchObject({ ok: false, kind: 'unavailable', message: 'Service Unavailable' });
    expect(refused.http.headers.get('retry-after')).toBe('2');
  });
});
