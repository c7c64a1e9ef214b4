import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../src/config/config.ts';
import { type AwsCredentials, credentialsFrom } from '../../src/documents/s3/credentials.ts';
import { S3DocumentStore } from '../../src/documents/s3/s3-document-store.ts';
import { eventually } from '../support/eventually.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const DOCUMENT = `licenses/${'a'.repeat(40)}.pdf`;
const HOUR_MILLIS = 3_600_000;
/** Two hours from now: the chain of Amazon reads the time of the machine. */
const EXPIRATION = new Date(Date.now() + 2 * HOUR_MILLIS).toISOString();
const ISSUED = {
  AccessKeyId: 'ASIA1',
  SecretAccessKey: 'issued-secret',
  Token: 'issued-token',
  Expiration: EXPIRATION,
};
const TEMPORARY: AwsCredentials = {
  accessKeyId: 'ASIA1',
  secretAccessKey: 'issued-secret',
  sessionToken: 'issued-token',
};

/** A request that the fake services of Amazon have seen. */
interface Asked {
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What the services answer, by method and path; 404 for others. */
let answers: Record<string, () => string | undefined>;
let asked: Asked[];
let server: Server;
let url: string;
const inFolder = folderOfEachTest();
const clock = () => new ManualClock();

/** Amazon's chain reads the environment itself, and the folder of a person has files of Amazon's programs. */
const before = { ...process.env };
function setAws(aws: Record<string, string>): void {
  for (const name of Object.keys(process.env).filter((each) => each.startsWith('AWS_'))) {
    delete process.env[name];
  }
  Object.assign(process.env, {
    AWS_SHARED_CREDENTIALS_FILE: inFolder('none'),
    AWS_CONFIG_FILE: inFolder('none'),
    AWS_EC2_METADATA_DISABLED: 'true',
    ...aws,
  });
}
afterAll(() => {
  setAws({});
  Object.assign(process.env, before);
});

beforeEach(async () => {
  answers = {};
  asked = [];
  server = createServer(async (req, res) => {
    const line = `${req.method} ${req.url}`;
    asked.push({ line, headers: req.headers, body: await text(req) });
    const answer = answers[line]?.();
    res.writeHead(answer === undefined ? 404 : 200).end(answer ?? 'secret-answer');
  });
  url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
});

/** The settings of a gateway, with variables of Amazon's programs in the environment. */
function settingsWith({ ...variables }: Record<string, string>) {
  const own = Object.entries(variables).filter(([name]) => !name.startsWith('AWS_'));
  setAws(Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('AWS_'))));
  const { s3 } = readConfig({
    DOCUMENT_STORE: 's3',
    S3_BUCKET: 'documents',
    S3_REGION: 'eu-west-1',
    ...Object.fromEntries(own),
  });
  if (!s3) {
    throw new Error('no S3');
  }
  return s3;
}

function credentialsWith(aws: Record<string, string>) {
  const { credentials, region } = settingsWith(aws);
  return credentialsFrom(credentials, region);
}

async function fileOf(content: string): Promise<string> {
  const file = inFolder('file');
  await writeFile(file, content);
  return file;
}

const STATIC = { sessionToken: undefined };

test('the key of the settings comes first', async () => {
  const get = credentialsWith({
    S3_ACCESS_KEY_ID: 'AKIA1',
    S3_SECRET_ACCESS_KEY: 'x',
    AWS_ACCESS_KEY_ID: 'AKIA2',
    AWS_SECRET_ACCESS_KEY: 'y',
  });
  expect(await get()).toEqual({ accessKeyId: 'AKIA1', secretAccessKey: 'x', ...STATIC });
});

test('the key and the session token of the environment are used', async () => {
  const key = { AWS_ACCESS_KEY_ID: 'AKIA2', AWS_SECRET_ACCESS_KEY: 'y' };
  expect(await credentialsWith(key)()).toEqual({ accessKeyId: 'AKIA2', secretAccessKey: 'y', ...STATIC });
  expect(await credentialsWith({ ...key, AWS_SESSION_TOKEN: 't' })()).toMatchObject({ sessionToken: 't' });
});

test('the shared file has a key for each profile', async () => {
  const file = await fileOf(
    '[default]\naws_access_key_id = AKIA3\naws_secret_access_key=a=b\n\n[other]\naws_access_key_id=AKIA4\naws_secret_access_key = c\naws_session_token=t\n',
  );
  const ofProfile = (aws: Record<string, string> = {}) =>
    credentialsWith({ AWS_SHARED_CREDENTIALS_FILE: file, ...aws })();
  expect(await ofProfile()).toEqual({ accessKeyId: 'AKIA3', secretAccessKey: 'a=b', ...STATIC });
  expect(await ofProfile({ AWS_PROFILE: 'other' })).toEqual({
    accessKeyId: 'AKIA4',
    secretAccessKey: 'c',
    sessionToken: 't',
  });
});

test('a profile has a role, which is assumed with the key of another profile', async () => {
  answers = { 'POST /': () => assumed('AssumeRole') };
  const file = await fileOf(
    '[default]\naws_access_key_id = AKIA3\naws_secret_access_key=a\n[role]\nrole_arn = arn:aws:iam::1:role/gateway\nsource_profile = default\n',
  );
  const get = credentialsWith({
    AWS_SHARED_CREDENTIALS_FILE: file,
    AWS_PROFILE: 'role',
    AWS_ENDPOINT_URL_STS: url,
  });
  expect(await get()).toEqual(TEMPORARY);
  expect(asked[0]?.body).toContain('Action=AssumeRole&');
});

test('a profile has a process that prints credentials', async () => {
  const issued = JSON.stringify({ Version: 1, ...ISSUED, SessionToken: ISSUED.Token });
  const script = inFolder('print.sh');
  await writeFile(script, `#!/bin/sh\necho '${issued}'\n`, { mode: 0o755 });
  const file = await fileOf(`[default]\ncredential_process = ${script}\n`);
  expect(await credentialsWith({ AWS_SHARED_CREDENTIALS_FILE: file })()).toEqual(TEMPORARY);
});

/** The answer of Amazon's token service. */
const assumed = (action: string) =>
  `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>issued-secret</SecretAccessKey><SessionToken>issued-token</SessionToken><Expiration>${EXPIRATION}</Expiration></Credentials></${action}Result></${action}Response>`;

test('a pod of EKS exchanges the token of its service account', async () => {
  answers = { 'POST /': () => assumed('AssumeRoleWithWebIdentity') };
  const get = credentialsWith({
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/gateway',
    AWS_ROLE_SESSION_NAME: 'auth-gateway',
    AWS_WEB_IDENTITY_TOKEN_FILE: await fileOf('web-token'),
    AWS_ENDPOINT_URL_STS: url,
  });
  expect(await get()).toEqual(TEMPORARY);
  expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toMatchObject({
    Action: 'AssumeRoleWithWebIdentity',
    RoleArn: 'arn:aws:iam::1:role/gateway',
    RoleSessionName: 'auth-gateway',
    WebIdentityToken: 'web-token',
  });
});

test('a container asks its endpoint with its token', async () => {
  answers = { 'GET /creds': () => JSON.stringify(ISSUED) };
  const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/creds` };
  expect(await credentialsWith({ ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'one' })()).toEqual(
    TEMPORARY,
  );
  const AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = await fileOf('two');
  expect(await credentialsWith({ ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE })()).toEqual(
    TEMPORARY,
  );
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(['one', 'two']);
});

test.each(['http://169.254.170.2.example.org/', 'http://127.example.org/', 'http://10.0.0.1/'])(
  'a container does not ask %s, which is neither this machine nor secured',
  async (address) => {
    const get = credentialsWith({ AWS_CONTAINER_CREDENTIALS_FULL_URI: address });
    await expect(get()).rejects.toThrow(/^There are no credentials for S3: /);
    expect(asked).toEqual([]);
  },
);

test('a machine of EC2 asks its metadata with a session of version 2', async () => {
  const roles = '/latest/meta-data/iam/security-credentials/';
  answers = {
    'PUT /latest/api/token': () => 'session',
    [`GET ${roles}`]: () => 'gateway-role',
    [`GET ${roles}gateway-role`]: () => JSON.stringify({ Code: 'Success', ...ISSUED }),
  };
  const machine = { AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
  expect(await credentialsWith(machine)()).toEqual(TEMPORARY);
  expect(asked.map(({ headers }) => headers['x-aws-ec2-metadata-token'])).toEqual([
    undefined,
    'session',
    'session',
  ]);
});

test('without any credentials the error says so', async () => {
  await expect(credentialsWith({})()).rejects.toThrow(
    'There are no credentials for S3: Could not load credentials from any providers',
  );
});

test.each<[what: string, answer: string]>([
  ['sends no JSON', 'secret-answer'],
  ['leaves out a part', JSON.stringify({ ...ISSUED, Token: undefined })],
])('the error about an endpoint that %s has nothing of the answer', async (_what, answer) => {
  answers = { 'GET /creds': () => answer };
  const failure = await credentialsWith({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/creds` })().then(
    () => undefined,
    (error: Error) => `${error.message} ${error.cause}`,
  );
  expect(failure).toMatch(/^There are no credentials for S3: /);
  expect(failure).not.toMatch(/issued|secret-answer/);
});

test('a replaced key signs the next request', async () => {
  answers = { 'HEAD /documents': () => '' };
  const bucket = { DOCUMENT_STORE: 's3', S3_BUCKET: 'documents', S3_ENDPOINT: url, S3_PATH_STYLE: 'on' };
  const settings = (S3_ACCESS_KEY_ID: string, S3_SECRET_ACCESS_KEY: string) =>
    settingsWith({ ...bucket, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY });
  const store = new S3DocumentStore(settings('AKIA1', 'x'), clock());
  await store.prepare();
  store.takeCredentials(settings('AKIA1', 'y').credentials);
  await store.prepare();
  store.takeCredentials(settings('AKIA2', 'z').credentials);
  await store.prepare();
  await store.close();
  const sent = asked.map(({ headers }) => headers.authorization ?? '');
  expect(sent.map((header) => /Credential=(\w+)/.exec(header)?.[1])).toEqual(['AKIA1', 'AKIA1', 'AKIA2']);
  const signatures = sent.map((header) => /Signature=(\w+)/.exec(header)?.[1]);
  expect(new Set(signatures).size).toBe(3);
});

/** All that a log shows of an error. */
const toldOf = (get: Promise<unknown>): Promise<string> =>
  get.then(
    () => 'no error',
    (error: Error) => `${error.message} ${error.stack} ${error.cause}`,
  );

test('the error about what no header can have does not quote it', async () => {
  const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/creds` };
  const key = { AWS_ACCESS_KEY_ID: 'AKIA2', AWS_SECRET_ACCESS_KEY: 'y' };
  const machine = { AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
  const broken = 'hunter2\nhunter3';
  answers = {
    'GET /creds': () => JSON.stringify({ ...ISSUED, Token: broken }),
    'PUT /latest/api/token': () => broken,
  };
  for (const aws of [
    { ...key, AWS_SESSION_TOKEN: broken },
    { ...key, AWS_ACCESS_KEY_ID: broken },
    { S3_ACCESS_KEY_ID: 'hunter2 hunter3', S3_SECRET_ACCESS_KEY: 'x' },
    container,
    { ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN: broken },
    { ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: await fileOf(broken) },
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url.replace('//', '//me:hunter2@')}/creds` },
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'hunter2' },
    machine,
  ]) {
    const store = new S3DocumentStore({ ...settingsWith({ ...aws, S3_ENDPOINT: url }) }, clock());
    const told = await toldOf(store.prepare());
    expect(told).toMatch(/for S3 has|no credentials for S3/);
    expect(told).not.toContain('hunter');
    await store.close();
  }
});

describe('temporary credentials', () => {
  const container = () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/creds` });
  const until = (millis: number) =>
    JSON.stringify({ ...ISSUED, Expiration: new Date(Date.now() + millis).toISOString() });

  test('simultaneous requests fetch them once, and keep them for as long as they are valid', async () => {
    answers = { 'GET /creds': () => until(HOUR_MILLIS) };
    const get = credentialsWith(container());
    await Promise.all([get(), get(), get()]);
    await get();
    expect(asked).toHaveLength(1);
  });

  test('valid ones are used while new ones cannot be had', async () => {
    let answer: string | undefined = until(60_000);
    answers = { 'GET /creds': () => answer };
    const get = credentialsWith(container());
    const first = await get();
    answer = undefined;
    // They end soon, so new ones are asked for, and none come.
    expect(await get()).toEqual(first);
    await eventually(() => expect(asked.length).toBeGreaterThan(1));
    expect(await get()).toEqual(first);
  });

  test('the session token goes with each request, and into the address of a redirect', async () => {
    answers = { 'GET /creds': () => until(HOUR_MILLIS), [`HEAD /documents/${DOCUMENT}`]: () => '' };
    const settings = settingsWith({
      ...container(),
      S3_ENDPOINT: url,
      S3_PATH_STYLE: 'on',
      S3_DELIVERY: 'redirect',
    });
    const store = new S3DocumentStore(settings, clock());
    const source = await store.read(DOCUMENT, {} as Parameters<typeof store.read>[1]);
    expect(asked.at(-1)?.headers['x-amz-security-token']).toBe('issued-token');
    const target = new URL(source?.kind === 'redirect' ? source.url : '');
    expect(target.searchParams.get('X-Amz-Security-Token')).toBe('issued-token');
    await store.close();
  });
});
