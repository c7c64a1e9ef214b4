import { createServer } from 'node:net';
import { probe, tlsFindings } from '../../../src/cli/check/base-url.ts';
import { type Check, findingsOf } from '../../../src/cli/check/check.ts';
import { judgeClock } from '../../../src/cli/check/clock-difference.ts';
import { topologyFindings } from '../../../src/cli/check/database-check.ts';
import { sizeOf } from '../../../src/cli/check/disk-check.ts';
import { judgeHashing } from '../../../src/cli/check/hash-check.ts';
import { judgeThreads, judgeVersion } from '../../../src/cli/check/node-check.ts';
import { hidingSecrets, presentFinding } from '../../../src/cli/check/report.ts';
import { checkerWith } from '../../../src/cli/check/run-check.ts';
import { judgeIndexes } from '../../../src/cli/check/schema-findings.ts';
import { readSettings } from '../../../src/cli/check/settings-check.ts';
import { judgeProxies } from '../../../src/cli/check/trust-proxy.ts';
import { runnerOf } from '../../../src/cli/command-line.ts';
import type { Connecting } from '../../../src/database/server-greeting.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { collectOutputs } from '../../support/program.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-15T12:00:00Z');

describe('Node.js', () => {
  test.each([
    ['20.18.3', 'error'],
    ['18.20.0', 'error'],
    ['20.19.0', 'warning'],
    ['25.9.0', 'warning'],
    ['22.22.0', 'ok'],
    ['24.1.0', 'ok'],
    ['99.0.0', 'note'],
  ])('version %s is judged as %s', (version, level) => {
    expect(judgeVersion(version, NOW).level).toBe(level);
  });

  test('the last day of support is still supported', () => {
    const end = Date.parse('2027-04-30T00:00:00Z');
    expect(judgeVersion('22.0.0', end + DAY - 1).level).toBe('ok');
    expect(judgeVersion('22.0.0', end + DAY).level).toBe('warning');
  });

  test('too few threads for the cores are a warning with the number to set', () => {
    expect(judgeThreads(5, 4).level).toBe('ok');
    expect(judgeThreads(3, 8)).toMatchObject({
      level: 'warning',
      todo: expect.stringContaining('UV_THREADPOOL_SIZE=10'),
    });
  });
});

test('a hash is judged by its cost and its time, with the logins a second', () => {
  expect(judgeHashing(12, 250, 2)).toMatchObject({
    level: 'ok',
    text: expect.stringContaining('8.0 logins a second'),
  });
  expect(judgeHashing(9, 30, 2).level).toBe('warning');
  expect(judgeHashing(15, 2_000, 4).level).toBe('warning');
});

test.each([
  ['agrees within the time of the question', 1_000, 0, 'ok'],
  ['is coarse', 0, 1_000, 'ok'],
  ['is behind', -4_000, 1_000, 'warning'],
  ['is ahead', 6_000, 0, 'warning'],
  ['is a minute ahead', 62_000, 0, 'error'],
  ['is an hour behind', -3_600_000, 1_000, 'error'],
])('a clock that %s is judged', (_, offset, stepMillis, level) => {
  const times = { askedAtMillis: NOW, answeredAtMillis: NOW + 2_000 };
  expect(judgeClock({ of: 'the database', atMillis: NOW + offset, stepMillis, ...times }).level).toBe(level);
});

test.each([
  [14_000, false],
  [15_000, true],
  [-90_000, true],
])('a clock that is %i ms off says so of codes: %s', (offset, isNamed) => {
  const times = { askedAtMillis: NOW, answeredAtMillis: NOW };
  const found = judgeClock({ of: 'the database', atMillis: NOW + offset, stepMillis: 0, ...times });
  expect(found.todo?.includes('codes of authenticator apps')).toBe(isNamed);
});

describe('proxies', () => {
  const forged = '203.0.113.9';
  const direct = {
    forged,
    forwarded: forged,
    peer: '127.0.0.1',
    isPeerTrusted: true,
    counted: '127.0.0.1',
    isProxied: false,
  };
  const behindOne = {
    forged,
    forwarded: '192.0.2.1',
    peer: '10.0.0.1',
    counted: '192.0.2.1',
    isPeerTrusted: true,
    isProxied: true,
  };

  const atProxy = { ...behindOne, counted: '10.0.0.1' };
  const adding = { ...behindOne, forwarded: `${forged}, 192.0.2.1` };
  const behindTwo = { ...behindOne, forwarded: '192.0.2.1, 10.0.0.2', counted: '10.0.0.2' };

  test.each([
    ['no proxy and none trusted', direct, false, 'ok', 'no proxy in front'],
    ['a proxy that is not trusted', atProxy, false, 'error', 'TRUST_PROXY is off'],
    ['TLS, and no trusted proxy', { ...direct, isProxied: true }, false, 'error', 'TRUST_PROXY is off'],
    ['a proxy that replaces the header', behindOne, 1, 'ok', 'sees the checker at 192.0.2.1'],
    ['a proxy that adds to the header', adding, 1, 'ok', '192.0.2.1'],
    ['a believed forgery', { ...direct, counted: forged }, 1, 'error', 'accepts a forged X-Forwarded-For'],
    ['a proxy that removes the header', { ...atProxy, forwarded: undefined }, 1, 'error', 'no X-Forwarded'],
    [
      'a proxy that is not in the list',
      { ...atProxy, isPeerTrusted: false },
      '10.9.9.9',
      'error',
      '10.0.0.1',
    ],
    ['two proxies where one is trusted', behindTwo, 1, 'warning', 'has seen it at 192.0.2.1'],
  ] as const)('%s', (_, arrival, trustProxy, level, text) => {
    const finding = judgeProxies(arrival, trustProxy);
    expect(finding.level).toBe(level);
    expect(finding.text).toContain(text);
  });
});

describe('TLS', () => {
  const strict = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };
  const levels = (validForMillis: number, refusal?: string, headers = {}, isFromHere = true) => {
    const certificate = { valid_to: new Date(NOW + validForMillis).toUTCString() };
    const tls = { certificate, refusal, protocol: 'TLSv1.3' } as never;
    const front = { baseUrl: 'https://auth.example.org', response: { tls, headers }, now: NOW, isFromHere };
    return [...tlsFindings(front)].map(({ level }) => level);
  };

  test('a certificate is judged by its end and by what clients say', () => {
    expect(levels(90 * DAY, undefined, strict)).toEqual(['ok', 'ok']);
    expect(levels(13 * DAY, undefined, strict)).toEqual(['warning', 'ok']);
    expect(levels(-1, undefined, strict)).toEqual(['error', 'ok']);
    expect(levels(90 * DAY, 'DEPTH_ZERO_SELF_SIGNED_CERT', strict)).toEqual(['error', 'ok']);
  });

  test('a missing HSTS header is a warning only if the gateway has answered', () => {
    expect(levels(90 * DAY, undefined, {}, true)).toEqual(['ok', 'warning']);
    expect(levels(90 * DAY, undefined, {}, false)).toEqual(['ok', 'note']);
    expect(levels(90 * DAY, undefined, { 'strict-transport-security': 'max-age=1' })).toEqual(['ok', 'note']);
  });
});

describe('MongoDB', () => {
  const THREE = { setName: 'rs0', hosts: ['a:1', 'b:1', 'c:1'] };
  const SAFE = { hosts: ['db.example.org'], hasCredentials: true, isEncrypted: true };
  const findings = (greeting: object, version = '8.0.4', connecting: Connecting = SAFE) => {
    const server = { greeting, version, connecting };
    return [...topologyFindings({ kind: 'mongodb', uri: '' }, server)];
  };
  const levels = (...server: Parameters<typeof findings>) => findings(...server).map(({ level }) => level);

  test('a replica set of three and a sharded cluster are sound', () => {
    expect(levels(THREE)).toEqual(['ok', 'ok']);
    expect(levels({ msg: 'isdbgrid' })).toEqual(['ok', 'ok']);
  });

  test('a lone server, two members with an arbiter, and a version without support are warnings', () => {
    expect(levels({})).toEqual(['warning', 'ok']);
    expect(levels({ setName: 'rs0', hosts: ['a:1', 'b:1'], arbiters: ['c:1'] })).toEqual(['warning', 'ok']);
    expect(levels(THREE, '6.0.20')).toEqual(['ok', 'warning']);
  });

  test.each(['5.0.7', '8.0.4'])('beside the version %s stands what the tests have been run on', (version) => {
    const [, { text, todo = text } = { text: '' }] = findings(THREE, version);
    expect(todo).toContain(
      "The gateway's tests ran on MongoDB 5.0.7 as a lone server, and on 8.0.10 alone, with TLS and few rights, and as a replica set of three with killed primaries. Nobody has run them on 6.0 and 7.0 yet.",
    );
  });

  test('without a password over a network it is an error, on this machine a warning; without TLS a warning', () => {
    const local = { hosts: ['127.0.0.1'], hasCredentials: false, isEncrypted: false };
    expect(levels(THREE, '8.0.4', { ...SAFE, hasCredentials: false })).toEqual(['ok', 'ok', 'error']);
    expect(levels(THREE, '8.0.4', local)).toEqual(['ok', 'ok', 'warning']);
    expect(levels(THREE, '8.0.4', { ...SAFE, isEncrypted: false })).toEqual(['ok', 'ok', 'warning']);
    expect(levels(THREE, '8.0.4', { ...local, hosts: ['::1'], hasCredentials: true })).toEqual(['ok', 'ok']);
  });
});

describe('indexes', () => {
  const expected = [{ name: '', key: { emailKey: 1 }, unique: true }];
  const id = { name: '_id_', key: { _id: 1 } };
  const ours = { name: 'emailKey_1', key: { emailKey: 1 }, unique: true };
  const judge = (...found: Parameters<typeof judgeIndexes>[2]) =>
    [...judgeIndexes('accounts', expected, found)].map(({ level, text }) => `${level}: ${text}`);

  // tests/integration/check.test.ts has those that a database makes.
  test('foreign ones are sound if they refuse nothing, and an error if they remove documents', () => {
    expect(judge(id, ours, { name: 'by name', key: { name: 1 } })).toEqual([]);
    expect(judge(id, ours, { name: 'with id', key: { name: 1, _id: 1 }, unique: true })).toEqual([]);
    expect(judge(id, ours, { name: 'old', key: { createdAt: 1 }, expireAfterSeconds: 60 })).toEqual([
      expect.stringMatching(/^error: The gateway did not create the index old, which removes documents/),
    ]);
  });
});

describe('a check', () => {
  const examined = (clock: ManualClock) => ({ clock }) as unknown as Parameters<typeof findingsOf>[1];
  const collect = async (check: Check, clock: ManualClock, stop = new AbortController().signal) => {
    const findings = [];
    for await (const finding of findingsOf(check, examined(clock), stop)) {
      findings.push(finding);
    }
    return findings;
  };

  test('that never answers ends with its time, is an error, and cleans up', async () => {
    const clock = new ManualClock();
    let isClean = false;
    const hanging: Check = {
      name: 'mail',
      maxMillis: 3_000,
      async *run(_, signal) {
        try {
          yield { level: 'ok', text: 'first' };
          await new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          );
        } finally {
          isClean = true;
        }
      },
    };
    const findings = collect(hanging, clock);
    await clock.advance(3_000);
    expect(await findings).toEqual([
      { check: 'mail', level: 'ok', text: 'first' },
      expect.objectContaining({
        check: 'mail',
        level: 'error',
        text: 'The check did not finish within 3 s.',
      }),
    ]);
    expect([isClean, clock.pending]).toEqual([true, 0]);
  });

  test('that throws is an error, and a stop ends all', async () => {
    const failing: Check = {
      name: 'disk',
      maxMillis: 1,
      async *run() {
        throw new Error('EIO');
        // biome-ignore lint/correctness/noUnreachable: a generator needs one
        yield { level: 'ok', text: '' };
      },
    };
    const clock = new ManualClock();
    expect(await collect(failing, clock)).toMatchObject([{ level: 'error', text: 'The check failed: EIO' }]);
    await expect(collect(failing, clock, AbortSignal.abort(new Error('Stopped.')))).rejects.toThrow(
      'Stopped.',
    );
  });
});

describe('the command', () => {
  const level = (one: 'ok' | 'note' | 'warning' | 'error'): Check => ({
    name: one,
    maxMillis: 1_000,
    async *run() {
      yield { level: one, text: `${one} \u001b[31mgeheimnis` };
    },
  });
  const run = (environment: Record<string, string>, checks: Check[], ...words: string[]) =>
    collectOutputs((outputs) =>
      runnerOf(checkerWith({ checks, clock: new ManualClock() }))(words, () => environment, outputs),
    );

  test.each([
    [['ok', 'note'], 0],
    [['ok', 'warning'], 1],
    [['warning', 'error', 'ok'], 2],
  ] as const)('with %j ends with %d', async (levels, code) => {
    expect((await run({}, levels.map(level))).code).toBe(code);
  });

  test('prints no secret and no control sequence, as a table and as JSON lines', async () => {
    const secret = { MONGODB_URI: 'mongodb://u:geheimnis@127.0.0.1/x' };
    const table = await run(secret, [level('ok')]);
    expect(table.stdout).toMatch(
      /^ok {7}ok {9}ok \[31m\[secret\]\n\nThis installation is ready for traffic\..*\n$/,
    );
    const json = await run(secret, [level('error')], '--json');
    const [finding, result] = json.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(finding).toMatchObject({
      check: 'error',
      level: 'error',
      text: expect.stringContaining('[secret]'),
    });
    expect(result).toMatchObject({ exitCode: 2, counts: { ok: 0, note: 0, warning: 0, error: 1 } });
    for (const { stdout } of [table, json]) {
      expect(stdout).not.toContain('geheimnis');
      expect(stdout).not.toContain('\u001b');
    }
  });

  test('with wrong settings names all of them, and never their values', async () => {
    const { code, stdout } = await run({ PORT: 'geheimnis', HOST: 'x', BCRYPT_COST: '99' }, [level('ok')]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^ERROR {4}settings {3}PORT must be.*[\s\S]*^ERROR {4}settings {3}BCRYPT_COST/m);
    expect(stdout).not.toMatch(/geheimnis|^ok/m);
  });

  test('that is not understood ends with 2', async () => {
    for (const words of [['now'], ['--mail-to', 'nobody'], ['--jsn']]) {
      const { code, stderr, stdout } = await run({}, [], ...words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^auth-gateway check: .*\nSee auth-gateway check --help\n$/);
    }
  });
});

test('secrets are hidden in every spelling', () => {
  const { config } = readSettings({
    MONGODB_URI: 'mongodb://user:p%40ss@127.0.0.1/x',
    DOCUMENT_ACCESS: 'signed',
    DOCUMENT_URL_SECRET: 's'.repeat(32),
    DOCUMENT_STORE: 's3',
    S3_BUCKET: 'b',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'of the bucket',
  });
  const hide = hidingSecrets(config);
  expect(hide(`p%40ss p@ss ${'s'.repeat(32)} of the bucket user`)).toBe(
    '[secret] [secret] [secret] [secret] user',
  );
});

test('sizes are for people', () => {
  expect([sizeOf(900), sizeOf(32 * 1_048_576), sizeOf(1_500_000_000)]).toEqual([
    '900 bytes',
    '32 MiB',
    '1.4 GiB',
  ]);
});

test('a long finding is broken between words, with what to do below it', () => {
  const long = {
    check: 'disk',
    level: 'warning',
    text: 'word '.repeat(30).trim(),
    todo: 'Do this.',
  } as const;
  const { text } = presentFinding(long);
  expect(text).toHaveLength(3);
  expect(text[0]).toMatch(/^WARNING {2}disk {7}word/);
  expect(text[2]).toBe(`${' '.repeat(20)}-> Do this.`);
});

test('an answer that switches to another protocol is none, and ends the question', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });
  });
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  await expect(probe({ url }, new AbortController().signal)).rejects.toThrow('without an answer');
  server.close();
});
