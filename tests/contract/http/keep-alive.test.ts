import { Agent, request } from 'node:http';
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
});
