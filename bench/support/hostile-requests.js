import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { BOUNDARY, doctorOf, END, filePart, formHeaders, pdfOf, textPart } from './doctor-form.js';
import { post } from './http.js';
import { head } from './requests.js';

/** Characters of the largest JSON body, with room for the rest of the request. */
const LARGEST = 98_000;
/** Three bytes for each character. */
const LONG_TEXT = '漢'.repeat(5_000);

const agent = new Agent({ keepAlive: true });
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join(' ');
/** Names of this length that are similar, and never the same for two rounds, so that nothing is remembered. */
const name = (length, end) => `${'A'.repeat(length - String(end).length - 1)}_${end}`;

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

const answered = ({ status, text }) => ({ status, bytes: text.length, text });

const asJson =
  (body, headers = {}) =>
  async (port) => {
    const buffer = Buffer.from(textOf(body));
    const all = { 'Content-Type': 'application/json', 'Content-Length': buffer.length, ...headers };
    return answered(await post(port, '/graphql', all, [buffer], agent));
  };

const asForm =
  (operations, map = '{}', headers = {}) =>
  async (port) => {
    const parts = [textPart('operations', textOf(operations)), textPart('map', map), END];
    const all = { ...formHeaders(parts), 'Apollo-Require-Preflight': 'x', ...headers };
    return answered(await post(port, '/graphql', all, parts, agent));
  };

/** A body in chunks of one byte. The connection is closed before all is sent. */
const inPieces = (path, type, begin, count) => (port) =>
  new Promise((resolve) => {
    const chunks = `${begin.length.toString(16)}\r\n${begin}\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`;
    const headers = { 'Content-Type': type, 'Transfer-Encoding': 'chunked', Connection: 'close' };
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ status: Number(text.slice(9, 12)), bytes: text.length, text }));
    socket.write(Buffer.concat([head(path, headers), Buffer.from(chunks)]));
  });

const FORM = `multipart/form-data; boundary=${BOUNDARY}`;
const FILE = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="license_file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n`;
const PIECES = {
  '500,000 in the form of a doctor': inPieces('/api/v1/auth/register/doctor', FORM, FILE, 500_000),
  '15,000 in JSON': inPieces('/graphql', 'application/json', '{', 15_000),
  '500,000 that nobody reads': inPieces('/nothing', 'text/plain', 'x', 500_000),
};

const asGet = (search) => (port) =>
  new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: `/graphql?${search}`, agent }, (res) => {
      let text = '';
      res.on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => resolve(answered({ status: res.statusCode, text })));
    })
      .on('error', reject)
      .end();
  });

/** Two names that are compared, each of this length. */
const compared = (length) => ({
  'a type of a variable and a type of the document': `query($a:${name(length, 1)}){__typename} type ${name(length, 2)}{f:Int}`,
  'a type condition and a type of the document': `{...{__typename}...f} fragment f on ${name(length, 1)}{x} scalar ${name(length, 2)}`,
  'an argument and a directive of the document': `{__typename @d(${name(length, 1)}:1)} directive @d(${name(length, 2)}:Int) on FIELD`,
  'a type and an extension of the document': `query($a:${name(length, 1)}){__typename} extend type ${name(length, 2)} @x`,
  'a type and an input of the document': `query($a:${name(length, 1)}){__typename} input ${name(length, 2)}{a:Int}`,
});

/** A name of this length in every other position of a document. */
const positioned = (long) => ({
  field: `{${long}}`,
  alias: `{${long}:__typename}`,
  'name of an operation': `query ${long}{__typename}`,
  argument: `mutation{revokeToken(${long}:1)}`,
  variable: `query($${long}:Int){__typename}`,
  type: `query($a:${long}){__typename}`,
  directive: `{__typename @${long}}`,
  'argument of a directive': `{__typename @skip(if:true,${long}:1)}`,
  fragment: `{...${long}} fragment ${long} on Query{__typename}`,
  'type condition': `{... on ${long}{__typename}}`,
  'enum value': `{doctorsForReview(status:${long}){edges{cursor}}}`,
  'object key': `mutation{login(input:{${long}:1}){token}}`,
});

const long600 = (index) => `${'x'.repeat(560)}${index}`;

/** Documents within the limits on their text, whose rules have the most work. */
const MERGED = {
  'one field 990 times': `{${times(990, () => '__typename')}}`,
  '480 aliases of one name': `{${times(330, () => 'a:__typename')}}`,
  '160 fields with a long argument': `{${times(160, () => `me(a:"${long600(0)}")`)}}`,
  '160 fields with different long arguments': `{${times(160, (index) => `me(a:"${long600(index)}")`)}}`,
  '160 fields with objects as arguments': `{${times(90, (index) => `me(a:{${name(200, 1)}:1,${name(200, 2)}:2,${name(200, 3)}:${index}})`)}}`,
  'conflicts within two fields, and 990 lines': `${'\n'.repeat(985)}{a:me{${times(160, () => 'x:id')}}a:me{${times(160, () => 'x:email')}}}`,
  'conflicts within ten fields, and 990 lines': `${'\n'.repeat(985)}{${times(10, (index) => `a:me{${times(30, () => `x:${'abcdefghij'[index]}`)}}`)}}`,
  '100 fragments that each spread three': `{...f0}${times(70, (index) => `fragment f${index} on Query{...f${(index + 1) % 70} ...f${(index + 7) % 70} ...f${(index * 3 + 1) % 70}}`)}`,
  '30 fragments that each spread all': `{...f0}${times(16, (one) => `fragment f${one} on Query{${times(16, (other) => `...f${other}`)}}`)}`,
  'fields in each other, each twice': `{${'me{me{'.repeat(8)}id${'}me{id}}'.repeat(8)}}`,
  '100 operations with variables': times(90, (index) => `query q${index}($a:Int){__typename}`),
  '190 variables': `query(${times(190, (index) => `$v${index}:Int`)}){__typename}`,
  '190 variables that are used': `query(${times(90, (index) => `$v${index}:Boolean!`)}){__typename ${times(90, (index) => `@skip(if:$v${index})`)}}`,
  'unknown fields of 90 characters': `{${times(900, (index) => name(90, index))}}`,
  'unknown fields like fields': `{${times(900, (index) => `doctorsForReviev${index}`)}}`,
  'fields of fragments on many types': `{...f}${times(100, (index) => `fragment f${index} on Account{i${index}:id}`)}`,
  'a block string': `{me(a:"""${'\\""" '.repeat(9_000)}""")}`,
  'a block string of blanks': `{me(a:"""${' '.repeat(90_000)}""")}`,
  '990 lists in each other': `{me(a:${'['.repeat(490)}${']'.repeat(490)})}`,
  '330 objects in each other': `{me(a:${'{a:'.repeat(300)}1${'}'.repeat(300)})}`,
  '330 selections in each other': `${'{a'.repeat(330)}${'}'.repeat(330)}`,
  'a comment': `{__typename}#${'x'.repeat(LARGEST)}`,
  '49,000 commas': `{__typename}${','.repeat(LARGEST)}`,
  'aliases of 200 characters that conflict': `{${times(300, (index) => `${name(250, 1)}:x${index}`)}}`,
};

const LOGIN = 'mutation($input:LoginInput!){login(input:$input){token}}';
const REVIEW = 'query($s:VerificationStatus){doctorsForReview(status:$s){edges{cursor}}}';
const DECIDE = 'mutation($d:ReviewDecision!){decideOnDoctor(id:"1",revision:1,decision:$d){revision}}';
const deep = (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const variables = () => ({
  'a key of 95 KB': asJson({ query: LOGIN, variables: { input: { [name(LARGEST, 1)]: 1 } } }),
  '49 keys of 1,900 characters': asJson({
    query: LOGIN,
    variables: { input: Object.fromEntries(Array.from({ length: 49 }, (_, i) => [name(1_900, i), 1])) },
  }),
  '49 keys of 12 characters': asJson({
    query: LOGIN,
    variables: { input: Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`password${i}`, 1])) },
  }),
  'an enum value of 95 KB': asJson({ query: REVIEW, variables: { s: name(LARGEST, 1) } }),
  'an enum value of 95 KB in a mutation': asJson({ query: DECIDE, variables: { d: name(LARGEST, 1) } }),
  'a text of 95 KB for a number': asJson({
    query: 'query($n:Int){doctorsForReview(first:$n){edges{cursor}}}',
    variables: { n: name(LARGEST, 1) },
  }),
  'a name of an operation of 95 KB': asJson({ query: '{__typename}', operationName: name(LARGEST, 1) }),
  '45,000 lists in each other': asJson(
    `{"query":${JSON.stringify(LOGIN)},"variables":{"input":${deep(45_000)}}}`,
  ),
  '45,000 lists in each other, in a form': asForm(
    `{"query":${JSON.stringify(LOGIN)},"variables":{"input":${deep(45_000)}}}`,
  ),
  '6,000 keys': asJson({
    query: LOGIN,
    variables: Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`key${i}`, 1])),
  }),
  '100 references of 900 characters': asJson({
    query: 'query($r:[_Any!]!){_entities(representations:$r){__typename}}',
    variables: { r: Array.from({ length: 100 }, (_, i) => ({ __typename: 'Account', id: name(850, i) })) },
  }),
  'a map of one path of 45,000 steps': asForm(
    { query: LOGIN, variables: { input: null } },
    JSON.stringify({ 0: [`variables${'.a'.repeat(45_000)}`] }),
  ),
  'a map of 4,500 paths': asForm(
    { query: LOGIN, variables: { input: null } },
    JSON.stringify(Object.fromEntries(Array.from({ length: 4_500 }, (_, i) => [i, [`variables.a${i}`]]))),
  ),
  'a GET of 7,000 parameters': asGet(`${'a&'.repeat(7_000)}query={__typename}`),
  'a GET with variables of 7,000 lists': asGet(
    `query=${encodeURIComponent(LOGIN)}&variables=${encodeURIComponent(`{"input":${deep(1_000)}}`)}`,
  ),
});

/** A doctor with the longest texts. */
async function registerDoctor(port) {
  const names = ['licenseFile', 'diplomaFile', 'certificationFile'];
  const texts = { workHistory: LONG_TEXT, publications: LONG_TEXT, practiceAddress: LONG_TEXT };
  const input = { ...doctorOf('doctor@bench.example'), licenseNumber: '1', ...texts };
  const files = Object.fromEntries(names.map((one) => [one, null]));
  const query = 'mutation($input:RegisterDoctorInput!){registerDoctor(input:$input){token account{id}}}';
  const parts = [
    textPart('operations', JSON.stringify({ query, variables: { input: { ...input, ...files } } })),
    textPart(
      'map',
      JSON.stringify(Object.fromEntries(names.map((one) => [one, [`variables.input.${one}`]]))),
    ),
    ...names.flatMap((one) => filePart(one, pdfOf(1_000))),
    END,
  ];
  const headers = { ...formHeaders(parts), 'Apollo-Require-Preflight': 'x' };
  const { text } = await post(port, '/graphql', headers, parts, agent);
  return JSON.parse(text).data.registerDoctor;
}

/** What the owner of an account can multiply. */
async function lists(port) {
  const { token, account } = await registerDoctor(port);
  const login = {
    query: LOGIN,
    variables: { input: { email: 'doctor@bench.example', password: 'correct horse' } },
  };
  for (let index = 0; index < 100; index += 1) {
    await asJson(login)(port);
  }
  const headers = { Authorization: `Bearer ${token}` };
  const references = (count) =>
    Array.from({ length: count }, () => ({ __typename: 'Account', id: account.id }));
  const entities = (count, fields) =>
    asJson(
      {
        query: `query($r:[_Any!]!){_entities(representations:$r){...on Account{${fields}}}}`,
        variables: { r: references(count) },
      },
      headers,
    );
  const PROFILE =
    'specialization licenseNumber licenseFileUrl diplomaFileUrl workHistory publications practiceAddress';
  const own = (query) => asJson({ query }, headers);
  return {
    '100 references, 2 profiles each': entities(100, `a:profile{${PROFILE}}b:profile{${PROFILE}}`),
    '100 references, 15 profiles each': entities(
      100,
      times(15, (i) => `a${i}:profile{${PROFILE}}`),
    ),
    '100 references, 15 small profiles each': entities(
      100,
      times(15, (i) => `a${i}:profile{specialization}`),
    ),
    '100 references, 15 times a long text': entities(
      100,
      `profile{${times(15, (i) => `a${i}:workHistory`)}}`,
    ),
    'ten times 100 tokens': own(
      `{${times(10, (i) => `a${i}:myTokens{id name abilities createdAt lastUsedAt expiresAt device ip current}`)}}`,
    ),
    'an export': own(
      '{exportMyData{account{id}tokens{id name abilities createdAt lastUsedAt expiresAt device ip}events{act outcome at channel ip userAgent count lastAt}}}',
    ),
    'an export with 15 aliases': own(
      `{exportMyData{account{id}tokens{id name abilities createdAt lastUsedAt expiresAt device ip}events{${times(15, (i) => `a${i}:userAgent`)}}}}`,
    ),
    'ten times me, with long texts': own(`{${times(10, (i) => `a${i}:me{profile{${PROFILE}}}`)}}`),
  };
}

const named = (group, entries) =>
  Object.entries(entries).map(([what, send]) => ({ name: `${group}: ${what}`, send }));
const sent = (documents, send = (query) => asJson({ query })) =>
  Object.fromEntries(Object.entries(documents).map(([what, query]) => [what, send(query)]));

/**
 * Requests within the limits on bodies and URLs that are made to take long.
 * @returns each with a name, and a function that sends it to a port
 */
export async function hostileRequests(port) {
  const half = LARGEST / 2 - 1_000;
  return [
    ...named('names of 48 KB', sent(compared(half))),
    ...named(
      'names of 48 KB in a form',
      sent(compared(half), (query) => asForm({ query })),
    ),
    ...named(
      'names of 7 KB by GET',
      sent(compared(7_000), (query) => asGet(`query=${encodeURIComponent(query)}`)),
    ),
    ...named('a name of 95 KB', sent(positioned(name(LARGEST - 1_000, 1)))),
    ...named('a name of 255 characters', sent(positioned(name(255, 1)))),
    ...named('merged', sent(MERGED)),
    ...named('variables', variables()),
    ...named('pieces of one byte', PIECES),
    ...named('lists', await lists(port)),
  ];
}
