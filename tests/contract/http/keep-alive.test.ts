import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { throughEachApi, type UploadRequest } from '../../support/apis.ts';
import { CONTENT } from '../../support/documents.ts';
import { refused } from '../../support/expectations.ts';
import type { HttpResponse } from '../../support/http.ts';
import { encodeForm } from '../../support/multipart.ts';
import { aDoctor } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { useTestApp } from '../../support/test-app.ts';

// docs/decisions.md, "Hazards": an upload that is refused before it has been read leaves the next request on the same
// connection without an answer.
const app = useTestApp({ MAX_FILE_BYTES: '4096' });

const LARGE = Buffer.alloc(1024 * 1024, 0x20);
const PIECE = Buffer.alloc(64 * 1024, 0x20);
const PIECES = 100;

throughEachApi((apiOf) => {
  let agent: Agent;
  beforeEach(() => {
    // One connection for all requests of a test.
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });
  afterEach(() => agent.destroy());

  async function upload({ path, headers, form }: UploadRequest): Promise<HttpResponse> {
    const { contentType, body } = await encodeForm(form);
    const { hostname, port } = new URL(app.url);
    const req = request({
      hostname,
      port,
      path,
      agent,
      method: 'POST',
      headers: { ...headers, 'Content-Type': contentType, 'Content-Length': body.length },
    });
    req.end(body);
    return answerTo(req);
  }

  test.each([
    ['a text is missing', { name: '' }, 'validation'],
    ['a file is missing', { licenseFile: undefined }, 'validation'],
    ['a file is of no accepted type', { diplomaFile: { name: 'a.exe', bytes: CONTENT.exe } }, 'validation'],
    ['the first file is too large', { licenseFile: { name: 'a.pdf', bytes: LARGE } }, 'validation'],
    ['the last file is too large', { certificationFile: { name: 'a.pdf', bytes: LARGE } }, 'validation'],
    [
      'the whole body is too large',
      { licenseFile: { name: 'a.pdf', bytes: LARGE }, diplomaFile: { name: 'a.pdf', bytes: LARGE } },
      'too large',
    ],
  ] as const)(
    'the gateway answers the next request on a connection after an upload in which %s',
    async (_case, fields, kind) => {
      const api = apiOf(app.url);
      for (let times = 0; times < 3; times += 1) {
        refused(api.doctorOutcome(await upload(api.doctorRequest(aDoctor({ ...fields })))), kind);
      }
      expect(api.doctorOutcome(await upload(api.doctorRequest(aDoctor()))).ok).toBe(true);
    },
  );

  test('a client that asks to close the connection and reads after it has sent everything gets the refusal', async () => {
    const { path, headers } = apiOf(app.url).doctorRequest(aDoctor());
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const lines = Object.entries({
      ...headers,
      Host: 'gateway.example',
      Connection: 'close',
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': String(PIECES * PIECE.length),
    });
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
    let answer = '';
    for (let piece = 0; piece < PIECES; piece += 1) {
      await new Promise((written) => socket.write(PIECE, written));
    }
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    socket.end();
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});
