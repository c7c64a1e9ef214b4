import { buffer } from 'node:stream/consumers';
import { MultipartParser } from '../../../src/api/http/bodies/multipart-parser.ts';

const LIMITS = { maxFiles: 6, maxFields: 32, maxFieldBytes: 1_000 };
const FILE = 'Content-Disposition: form-data; name="f"; filename="a.pdf"';
const TEXT = 'Content-Disposition: form-data; name="t"';
const NOT_MULTIPART = 'The request body is not valid multipart form data';

/** What becomes of a body that comes in these pieces: its parts, then the reason for which it is refused. */
async function read(pieces: Buffer[], boundary = 'b'): Promise<unknown[]> {
  const parts: unknown[] = [];
  const contents: Promise<Buffer>[] = [];
  const form = { contentType: `multipart/form-data; boundary="${boundary}"`, charset: 'utf-8' } as const;
  const parser = new MultipartParser(form, LIMITS, {
    text: (name, text) => parts.push([name, text]),
    file: (name, content, clientName) => {
      const bytes = buffer(content).catch(() => Buffer.from('cut'));
      contents.push(bytes);
      parts.push([name, clientName, contents.length - 1]);
    },
  });
  try {
    for (const piece of pieces) {
      parser.write(piece);
    }
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
    parts.push((error as Error).message);
  }
  return [...parts, ...(await Promise.all(contents)).map((bytes) => bytes.toString('latin1'))];
}

const refusal = async (body: string | Buffer, boundary?: string): Promise<string> => {
  const last = (await read([Buffer.from(body)], boundary)).find((part) => typeof part === 'string');
  return String(last)
    .replace(NOT_MULTIPART, '')
    .replace(/^: |\.$/g, '');
};

/** Everything that looks like a delimiter, or the beginning of one, in contents and around the form. */
const TRICKY = [
  `\r\n\n--b\r\n${FILE}\r\nContent-Type: application/pdf\r\n\r\n`,
  '\r\n-\r\n--\r\n--B\r\r\n--\r\n--\rb--b\n--b\r\n\r',
  `\r\n--b\r\n${TEXT}\r\n\r\n`,
  `\r\n--b\r\n${TEXT};\r\n filename*=utf-8''%61\r\n\r\n\r\n-\r\n--b\r\n${TEXT}\r\n\r\n\u00fc\r\n--b--\r\nepilogue\r\n--`,
].join('');

test('a body is read alike in whatever pieces it comes', async () => {
  const bytes = Buffer.from(TRICKY);
  const whole = await read([bytes]);
  expect(whole).toEqual([
    ['f', 'a.pdf', 0],
    ['t', ''],
    ['t', 'a', 1],
    ['t', '\u00fc'],
    '\r\n-\r\n--\r\n--B\r\r\n--\r\n--\rb--b\n--b\r\n\r',
    '\r\n-',
  ]);
  const splits = [...bytes.keys()].slice(1).map((at) => [bytes.subarray(0, at), bytes.subarray(at)]);
  const pieces = [[...bytes].map((byte) => Buffer.of(byte)), ...splits];
  for (const result of await Promise.all(pieces.map((each) => read(each)))) {
    expect(result).toEqual(whole);
  }
});

test('a body that ends anywhere before its last delimiter is refused', async () => {
  const end = Buffer.from(TRICKY).lastIndexOf('--b--') + '--b--'.length;
  const cut = Array.from({ length: end }, (_, length) => refusal(Buffer.from(TRICKY).subarray(0, length)));
  expect(new Set(await Promise.all(cut))).toEqual(new Set(['']));
});

const part = (headers: string, content = 'x') => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
const END = '--b--\r\n';

// The facts of the public test-suite of defnull/multipart, and those of RFC 2046.
test.each<[body: string, reason: string]>([
  [`preamble${part(TEXT)}${END}`, 'the first delimiter does not begin a line'],
  [`preamble\n${part(TEXT)}${END}`, 'the first delimiter does not begin a line'],
  [` ${part(TEXT)}${END}`, 'the first delimiter does not begin a line'],
  [`${part(TEXT)}${END}${part(TEXT)}`, 'a delimiter follows the last one'],
  [`${part(TEXT)}${END}epilogue --b`, 'a delimiter follows the last one'],
  [`--bb\r\n${TEXT}\r\n\r\nx\r\n${END}`, 'a delimiter is followed by other text'],
  [`--b\n${TEXT}\n\nx\n--b--\n`, 'a delimiter is followed by other text'],
  [`${part(TEXT)}--b-\r\n${END}`, 'a delimiter is followed by other text'],
  [`${part(TEXT, 'x\r\n--bottom')}${END}`, 'a delimiter is followed by other text'],
  [`${part(TEXT, 'x\r\n--b--less')}${END}`, 'a delimiter is followed by other text'],
  [`--b\r\n${TEXT}\r\n${part(FILE)}${END}`, 'a delimiter stands within the headers of a part'],
  [`--b\r\n${TEXT}\r\n\r\n${part(FILE)}${END}`, 'a delimiter stands within the headers of a part'],
  [`--b\r\n--b\r\n${part(FILE)}${END}`, 'a delimiter stands within the headers of a part'],
  [`--b\r\n--b: x\r\n${FILE}\r\n\r\n`, 'a delimiter stands within the headers of a part'],
  ['--b\r\n\r\nx\r\n\r\n', 'a header of a part is broken'],
])('the reader refuses %j', async (body, reason) => {
  expect(await refusal(body)).toBe(reason);
});

test('headers of more than 16 KiB are refused, also if they never end', async () => {
  for (const headers of [`X: ${'y'.repeat(20_000)}\r\n${TEXT}\r\n\r\n`, 'X: y\r\n'.repeat(5_000)]) {
    expect(await refusal(`--b\r\n${headers}`)).toBe('the headers of a part are too long');
  }
});

test.each<[body: string, parts: unknown[]]>([
  [END, []],
  ['--b--', []],
  [`\r\n\r\n${END}`, []],
  [`Preamble\r\n${part(TEXT)}--b-- \t`, [['t', 'x']]],
  [part(TEXT, 'x\r\n--\r\n--a') + END, [['t', 'x\r\n--\r\n--a']]],
  [part(TEXT, '') + END, [['t', '']]],
])('the reader takes %j', async (body, parts) => {
  expect(await read([Buffer.from(body)])).toEqual(parts);
});

test('a boundary has at most 256 characters, and its delimiter may look like a header', async () => {
  for (const boundary of ['b'.repeat(256), 'a:b', '-', '\u00fc', "it's"]) {
    const dashes = Buffer.from(`--${boundary}`, 'latin1').toString('latin1');
    const body = Buffer.from(`${dashes}\r\n${TEXT}\r\n\r\nx\r\n${dashes}--`, 'latin1');
    expect(await read([body], boundary)).toEqual([['t', 'x']]);
  }
  expect(() => read([], 'b'.repeat(257))).rejects.toThrow(NOT_MULTIPART);
  expect(await refusal(`--a:b\r\n${TEXT}\r\n--a:b\r\n${TEXT}\r\n\r\n`, 'a:b')).toContain(
    'within the headers',
  );
});

test('10,000 parts are refused after as many as a form may have', async () => {
  const parts = await read([Buffer.from(part(TEXT).repeat(10_000))]);
  expect(parts).toHaveLength(LIMITS.maxFields + 1);
  expect(parts.at(-1)).toBe('The POST data is too large.');
  expect(await read([Buffer.from(part(TEXT, 'x'.repeat(1_001)))])).toEqual(['The POST data is too large.']);
});
