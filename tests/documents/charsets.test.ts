import { throughEachApi } from '../support/apis.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { aDoctor } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { inventoryOf, useTestApp } from '../support/test-app.ts';
import { doctorParts, isFile, type Part, type Spelling, sendParts, textPart } from './support/parts.ts';

const app = useTestApp();
const BOUNDARY = 'a-boundary-of-the-tests';

/** A part whose headers are followed by another one. */
const withHeader = (part: Part, header: string): Part => ({ ...part, headers: [...part.headers, header] });

throughEachApi((apiOf) => {
  const api = () => apiOf(app.url);

  const upload = (parts: Part[], spelling: Spelling = {}) => sendParts(app.url, api(), parts, spelling);

  /** The parts of a new doctor, the first text changed. */
  async function partsWith(change: (part: Part) => Part): Promise<Part[]> {
    const [first, ...others] = await doctorParts(api(), aDoctor());
    if (!first) {
      throw new Error('a doctor has parts');
    }
    return [change(first), ...others];
  }

  const OTHERS = ['utf-7', 'UTF-16', 'utf-32', 'iso-8859-15', 'latin1', 'windows-1252', 'utf-999'];

  test.each(OTHERS)('the gateway refuses a multipart request in %s and stores nothing', async (charset) => {
    const before = await inventoryOf(app);
    const contentType = `multipart/form-data; charset=${charset}; boundary=${BOUNDARY}`;
    expect((await upload(await partsWith((part) => part), { contentType })).status).toBe(415);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test.each(OTHERS)('the gateway refuses a text part in %s and stores nothing', async (charset) => {
    const before = await inventoryOf(app);
    const parts = await partsWith((part) =>
      withHeader(part, `Content-Type: text/plain; charset="${charset}"`),
    );
    expect((await upload(parts)).status).toBe(415);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('the gateway checks a text part as text even if its name looks like a file', async () => {
    const parts = await partsWith((part) => ({
      ...part,
      headers: [
        `Content-Disposition: form-data; name="x; filename=y"`,
        'Content-Type: text/plain; charset=utf-16le',
      ],
    }));
    expect((await upload(parts)).status).toBe(415);
  });

  test.each(['utf-8', 'UTF8', '"utf-8"'])(
    'the gateway accepts a request and its parts in %s',
    async (charset) => {
      const contentType = `multipart/form-data; boundary=${BOUNDARY}; charset=${charset}`;
      const parts = await partsWith((part) =>
        withHeader(part, `Content-Type: text/plain; charset=${charset}`),
      );
      registeredDoctor(api().doctorOutcome(await upload(parts, { contentType })));
    },
  );

  test.each(['us-ascii', 'ISO-8859-1'])(
    'the gateway takes %s if every byte of a text is ASCII',
    async (charset) => {
      const type = `Content-Type: text/plain; charset=${charset}`;
      const contentType = `multipart/form-data; boundary=${BOUNDARY}; charset=${charset}`;
      const before = await inventoryOf(app);
      const named = await doctorParts(api(), aDoctor({ name: 'Zo\u00eb' }));
      expect((await upload(named, { contentType })).status).toBe(415);
      expect((await upload(named.map((part) => (isFile(part) ? part : withHeader(part, type))))).status).toBe(
        415,
      );
      expect(await inventoryOf(app)).toEqual(before);
      registeredDoctor(api().doctorOutcome(await upload(await partsWith((part) => part), { contentType })));
      registeredDoctor(api().doctorOutcome(await upload(await partsWith((part) => withHeader(part, type)))));
    },
  );

  test('the gateway ignores the charset of a file and stores its bytes unchanged', async () => {
    const parts = await doctorParts(api(), aDoctor());
    const changed = parts.map((part) => ({
      ...part,
      headers: part.headers.map((header) =>
        header.replace('application/octet-stream', 'application/pdf; charset=utf-16'),
      ),
    }));
    registeredDoctor(api().doctorOutcome(await upload(changed)));
  });
});

test('the REST door refuses a doctor with a text that is not UTF-8, and stores nothing', async () => {
  const before = await inventoryOf(app);
  const api = restApi(app.url);
  const [first, ...others] = await doctorParts(api, aDoctor());
  for (const bytes of ['ff', 'c3', 'eda080']) {
    const parts = [{ ...(first as Part), content: Buffer.from(bytes, 'hex') }, ...others];
    const { status, text } = await sendParts(app.url, api, parts);
    expect([status, text]).toEqual([400, '{"message":"The request body is not valid multipart form data."}']);
  }
  expect(await inventoryOf(app)).toEqual(before);
});

describe('a form that names its charset in _charset_', () => {
  throughEachApi((apiOf) => {
    test.each(['utf-16', 'iso-8859-2', 'utf-8; utf-16'])(
      'the gateway refuses a form whose _charset_ is %s',
      async (charset) => {
        const api = apiOf(app.url);
        const parts = [...(await doctorParts(api, aDoctor())), textPart('_charset_', charset)];
        // A GraphQL multipart request must not have this field.
        expect((await sendParts(app.url, api, parts)).status).toBe(
          api.doctorRequest({}).path === '/graphql' ? 400 : 415,
        );
      },
    );
  });

  test.each(['UTF-8', 'utf8', ''])('the gateway accepts a form whose _charset_ is %j', async (charset) => {
    const api = restApi(app.url);
    const parts = [textPart('_charset_', charset), ...(await doctorParts(api, aDoctor()))];
    registeredDoctor(api.doctorOutcome(await sendParts(app.url, api, parts)));
  });
});
