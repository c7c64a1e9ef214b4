// How clients spell the headers of a file, and of a form. PHP's answers were measured with PHP 8.2: `refused` marks where it reads a
// file and the gateway does not.
import { throughEachApi } from '../support/apis.ts';
import { aPdf } from '../support/documents.ts';
import { type HttpResponse, jsonOf } from '../support/http.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';
import { type Part, sendParts, textPart } from './support/parts.ts';

const app = useTestApp();

/** What became of a part: a file, a text, ignored because of its name, or refused for a reason. */
type Outcome = 'file' | 'text' | 'other' | { reason: string };

const because = (reason: string): Outcome => ({ reason });
const UNREADABLE = because('a parameter of a part cannot be read');
const TWICE = because('a parameter of a part is sent twice');
const BROKEN = because('a header of a part is broken');
const NAMELESS = because('a part has no name in UTF-8');

/** What follows `Content-Disposition: form-data; name="f"; `. */
const FILE_NAMES: [string, Outcome][] = [
  ['filename="a.pdf"', 'file'],
  ['filename="license (1).pdf"; filename*=utf-8\'\'license%20(1).pdf', 'file'],
  ['filename="a.pdf"; filename*=UTF-8\'\'a.exe', 'file'],
  ['filename*=UTF-8\'\'a.pdf; filename="a.pdf"', 'file'],
  ['filename="a.pdf"; filename*=utf-8\'\'%zz', 'file'],
  ["filename*=UTF-8''Lizenz%20f%C3%BCr%20Zo%C3%AB.pdf", 'file'],
  ["filename*=utf-8'de'a.pdf", 'file'],
  ["filename*=UTF-8''%zz.pdf", because('a file name is not in UTF-8')],
  ["filename*=UTF-8''%ff.pdf", because('a file name is not in UTF-8')],
  ["filename*=iso-8859-1''a.pdf", because('a file name is not in UTF-8')],
  ['filename*="a.pdf"', because('a file name is not in UTF-8')],
  ['filename*0="a"; filename*1=".pdf"', because('a file name is not in UTF-8')],
  ['filename="a.pdf";', 'file'],
  ['filename="a.pdf"; ', 'file'],
  ['filename="a.pdf"; ;', 'file'],
  ['; filename="a.pdf"', 'file'],
  ["filename='a.pdf'", 'file'],
  ["filename='a;b.pdf'", 'file'],
  ["filename='O'Neil.pdf'", 'file'],
  ['filename=a.pdf', 'file'],
  ['filename=my scan.pdf', 'file'],
  ['filename=scan(1).pdf', 'file'],
  ["filename=O'Neil.pdf", 'file'],
  ['filename=\u00fc.pdf', 'file'],
  ['filename=a/b.pdf', 'file'],
  ['filename="a "b" c.pdf"', 'file'],
  ['filename="a"b.pdf"', 'file'],
  ['filename=""a.pdf"', 'file'],
  ['filename="a"; b.pdf"', UNREADABLE],
  ['filename="a "b;c" d.pdf"', UNREADABLE],
  ['filename=a"b.pdf', UNREADABLE],
  ['filename="a\\"b.pdf"', 'file'],
  ['filename="a%22b.pdf"', 'file'],
  ['filename="test \\ \\\\ ; \u00f6 %22 = ;.pdf"', 'file'],
  ['filename="C:\\dir\\a.pdf"', 'file'],
  ['filename="C:\\\\dir\\\\a.pdf"', 'file'],
  ['filename="../../a.pdf"', 'file'],
  ['filename="C:\\dir\\"', UNREADABLE],
  ['filename="a.pdf', UNREADABLE],
  ["filename='a.pdf", UNREADABLE],
  ['filename = "a.pdf"', 'file'],
  ['filename= "a.pdf"', 'file'],
  ['filename\t=\t"a.pdf"\t', 'file'],
  ['FileName="a.pdf"', 'file'],
  ['filename="a;b=c.pdf"', 'file'],
  ['filename="O\'Neil, (1) @home.pdf"', 'file'],
  ['filename="Lizenz f\u00fcr Zo\u00eb \u674e.pdf"', 'file'],
  ['filename="a.pdf"; size=5; creation-date="Sat, 28 Nov 2026 00:00:00 GMT"', 'file'],
  ['filename="a.pdf"; x', UNREADABLE],
  ['x; filename="a.pdf"', UNREADABLE],
  ['filename', UNREADABLE],
  ['="a.pdf"', UNREADABLE],
  ['file name="a.pdf"', UNREADABLE],
  ['filename="a.exe"; filename="a.pdf"', TWICE],
  ['name="g"; filename="a.pdf"', TWICE],
  ['filename="a\0.pdf"', BROKEN],
  ['filename="a\r.pdf"', BROKEN],
  ['filename="a\n.pdf"', BROKEN],
  ['filename="a\x07.pdf"', BROKEN],
  ['filename="a\x7f.pdf"', BROKEN],
  ['x=y', 'text'],
];

const DISPOSITION = 'Content-Disposition: form-data; name="f"; filename="a.pdf"';

/** All headers of a part. */
const HEADERS: [string[], Outcome][] = [
  [['Content-Disposition: attachment; name="f"; filename="a.pdf"'], 'file'],
  [['Content-Disposition: file; name="f"; filename="a.pdf"'], 'file'],
  [['Content-Disposition: FORM-DATA; NAME="f"; FILENAME="a.pdf"'], 'file'],
  [['Content-Disposition: name="f"; filename="a.pdf"'], 'file'],
  [['Content-Disposition: ; name="f"; filename="a.pdf"'], 'file'],
  [['Content-Disposition:form-data;name="f";filename="a.pdf"'], 'file'],
  [['Content-Disposition:\tform-data;\tname="f";\tfilename="a.pdf"\t'], 'file'],
  [['Content-Disposition: form-data; filename="a.pdf"; name="f"'], 'file'],
  [["Content-Disposition: form-data; name='f'; filename='a.pdf'"], 'file'],
  [['Content-Disposition: form-data; name=f; filename=a.pdf'], 'file'],
  [['content-disposition: form-data; name="f"; filename="a.pdf"'], 'file'],
  [['CONTENT-DISPOSITION: form-data; name="f"; filename="a.pdf"'], 'file'],
  [['Content-Disposition: form-data;\r\n name="f";\r\n\tfilename="a.pdf"'], 'file'],
  [['Content-Disposition: form-data, name="f", filename="a.pdf"'], UNREADABLE],
  [['Content-Disposition: form-data name="f" filename="a.pdf"'], UNREADABLE],
  [['Content-Disposition: form-data; filename="a.pdf"'], NAMELESS],
  [['Content-Disposition: form-data; name; filename="a.pdf"'], UNREADABLE],
  [['Content-Disposition: form-data; name*=UTF-8\'\'f; filename="a.pdf"'], NAMELESS],
  [['Content-Disposition: form-data; name="f"; name*=UTF-8\'\'g; filename="a.pdf"'], 'file'],
  [['Content-Disposition: form-data; name="f"x; filename="a.pdf"'], UNREADABLE],
  [['Content-Disposition: form-data; name="f; filename="a.pdf"'], UNREADABLE],
  [
    ['Content-Disposition: form-data; name="\ufffd"; filename="a.pdf"'],
    because('a part has no name in UTF-8'),
  ],
  [['Content-Disposition: form-data; name="%66"; filename="a.pdf"'], 'other'],
  [['Content-Disposition: form-data; name=""; filename="a.pdf"'], 'other'],
  [['Content-Disposition: form-data; name="constructor"; filename="a.pdf"'], 'other'],
  [['Content-Disposition: form-data; name="__proto__"; filename="a.pdf"'], 'other'],
  [['Content-Disposition: form-data'], NAMELESS],
  [['Content-Disposition:'], NAMELESS],
  [['Content-Type: application/pdf'], NAMELESS],
  [['Content-Disposition : form-data; name="f"; filename="a.pdf"'], BROKEN],
  [[DISPOSITION, 'Content-Type : application/pdf'], BROKEN],
  [[DISPOSITION, 'Bad header: x'], BROKEN],
  [[DISPOSITION, ': x'], BROKEN],
  [[DISPOSITION, 'no colon'], BROKEN],
  [['no colon', DISPOSITION], BROKEN],
  [[' X: y', DISPOSITION], BROKEN],
  [[`${DISPOSITION}\nContent-Type: application/pdf`], BROKEN],
  [[DISPOSITION, DISPOSITION], because('a header of a part is sent twice')],
  [[DISPOSITION, 'Content-Type: a/b', 'content-type: c/d'], because('a header of a part is sent twice')],
  [[DISPOSITION, 'X-A: 1', 'X-A: 2'], 'file'],
  [[DISPOSITION, 'X-A:'], 'file'],
  [[DISPOSITION, 'constructor: x', '__proto__: y', 'toString: z'], 'file'],
  [['Content-Type: application/pdf', DISPOSITION], 'file'],
  [[DISPOSITION, 'Content-Length: 4'], 'file'],
  [[DISPOSITION, 'Content-Transfer-Encoding: base64'], 'file'],
  [[DISPOSITION, 'Content-Type: multipart/mixed; boundary=x'], 'file'],
  [[DISPOSITION, 'Content-Type: ;;;'], 'file'],
  [[DISPOSITION, 'Content-Type: application/pdf; charset=utf-16'], 'file'],
  [['Content-Disposition: form-data; name="f"', 'Content-Type: application/octet-stream'], 'text'],
  [['Content-Disposition: form-data; name="f"', 'Content-Type: application/pdf'], 'text'],
  [['Content-Disposition: form-data; name="f"', 'Content-Type: text/plain;'], 'text'],
  [["Content-Disposition: form-data; name='f';"], 'text'],
  [['Content-Disposition: form-data; name=f'], 'text'],
  [['Content-Disposition: form-data; name="f"x"'], 'other'],
];

/** Content-Type headers, each of a form with the boundary. */
const BOUNDARIES: [type: string, boundary: string, isRead: boolean][] = [
  ['multipart/form-data; boundary=b', 'b', true],
  ['multipart/form-data; boundary=b;', 'b', true],
  ['multipart/form-data; boundary=b; ', 'b', true],
  ['multipart/form-data; boundary="b";', 'b', true],
  ['multipart/form-data;boundary=b', 'b', true],
  ['Multipart/Form-Data; BOUNDARY=b', 'b', true],
  ['multipart/form-data ; boundary = b', 'b', true],
  ['multipart/form-data; charset=utf-8; boundary=b', 'b', true],
  ...[
    'a/b',
    'a=b',
    'a:b',
    'a?b',
    'a@b',
    'a(b)',
    'a,b',
    'a b',
    "a'b",
    'a+b',
    "'b'",
    'a<b>[c]',
    'x/y=?:@(z',
  ].map((each): [string, string, boolean] => [`multipart/form-data; boundary=${each}`, each, true]),
  ['multipart/form-data; boundary="a;b"', 'a;b', true],
  // RFC 2046 allows only 70 characters.
  [`multipart/form-data; boundary=${'b'.repeat(200)}`, 'b'.repeat(200), true],
  ['multipart/form-data; boundary=', 'b', false],
  ['multipart/form-data; boundary=another', 'b', false],
  ['multipart/form-data; boundary=x; boundary=b', 'b', false],
  ['multipart/form-data; boundary="b', 'b', false],
  ['multipart/form-data; xboundary=b', 'b', false],
  ['multipart/form-data', 'b', false],
];

throughEachApi((apiOf) => {
  const isRest = apiOf === restApi;

  const ABSENT = { phone: '', name: '', email: '', password: '', specialization: '', licenseNumber: '' };
  const files = { licenseFile: null, diplomaFile: null, certificationFile: null };
  const query = 'mutation ($input: RegisterDoctorInput!) { registerDoctor(input: $input) { token } }';
  const first = isRest
    ? []
    : [
        textPart('operations', JSON.stringify({ query, variables: { input: { ...ABSENT, ...files } } })),
        textPart('map', '{"license_file":["variables.input.licenseFile"]}'),
      ];

  /** A registration with one document, and nothing else that is valid. The names of its headers are those of the tables. */
  const send = (headers: string[], spelling: Parameters<typeof sendParts>[3] = {}) => {
    const named = headers.map((header) => header.replace(/(name ?= ?["']?)f\b/i, '$1license_file'));
    const part: Part = { name: '', headers: named, content: aPdf().bytes };
    return sendParts(app.url, apiOf(app.url), [...first, part], spelling);
  };

  interface Refusal {
    message?: string;
    errors?:
      | Record<string, string[]>
      | [{ message: string; extensions: { errors?: Record<string, string[]> } }];
  }

  function outcomeOf(answer: HttpResponse): Outcome {
    const { message, errors } = jsonOf<Refusal>(answer);
    const [error] = Array.isArray(errors) ? errors : [];
    const text = message ?? error?.message ?? '';
    const [, reason] = /^The request body is not valid multipart form data: (.*)\.$/.exec(text) ?? [];
    if (answer.status === 400 && reason !== undefined) {
      return { reason };
    }
    if (!isRest && answer.status === 400 && error?.extensions.errors === undefined) {
      return text === 'A file of the map has no file name.' ? 'text' : 'other';
    }
    const all = (Array.isArray(errors) ? error?.extensions.errors : errors) ?? {};
    const [own] = all[isRest ? 'license_file' : 'licenseFile'] ?? [];
    expect(Object.keys(all)).toContain('email');
    return own === undefined ? 'file' : own.includes('must be a file') ? 'text' : 'other';
  }

  test('every spelling of a file name is read, or refused with a reason', async () => {
    for (const [spelling, expected] of FILE_NAMES) {
      const answer = await send([`Content-Disposition: form-data; name="f"; ${spelling}`]);
      expect([spelling, outcomeOf(answer)]).toEqual([spelling, expected]);
    }
  });

  test('all headers of a part are read, or refused with a reason', async () => {
    for (const [headers, expected] of HEADERS) {
      expect([headers, outcomeOf(await send(headers))]).toEqual([headers, expected]);
    }
  });

  test('a compressed form is refused before its parts are read', async () => {
    for (const coding of ['gzip', 'Deflate', 'identity, br', 'x-gzip', 'compress', 'zstd']) {
      const answer = await send([DISPOSITION], { headers: { 'Content-Encoding': coding } });
      expect([answer.status, answer.text]).toEqual([415, expect.stringContaining('must not be compressed')]);
    }
    expect(outcomeOf(await send([DISPOSITION], { headers: { 'Content-Encoding': 'binary' } }))).toBe('file');
  });

  test('every boundary of PHP is read', async () => {
    for (const [contentType, boundary, isRead] of BOUNDARIES) {
      const answer = await send([DISPOSITION], { contentType, boundary });
      const outcome = isRead ? outcomeOf(answer) : answer.status;
      expect([contentType, outcome]).toEqual([contentType, isRead ? 'file' : 400]);
    }
  });
});
