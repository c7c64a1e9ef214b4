import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import path from 'node:path';
import mysql from 'mysql2/promise';
import { filesOfTheMove, type Nginx, startNginx } from '../../services/support/nginx.ts';
import { legacyListener } from '../../support/fake-legacy.ts';
import { freePort, listenOnFreePort } from '../../support/listen.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { anOperator, documentedBlocks, type Operator } from '../support/documented-move.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount, type LegacyService, startLegacyService } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { phpPasswordVerify } from '../support/php.ts';

// The script of docs/migration.md and its way back: their commands in their order, with a real MariaDB, nginx and gateway. The legacy service is
// the tables and files of one, and an API that answers like one.

/** The script is more than twenty programs, one after the other. */
const SCRIPT_MILLIS = 600_000;
const { patient, cost12 } = LEGACY_ACCOUNTS;

let legacy: LegacyService;
let legacyApi: TestApp;
let legacyServer: Server;
let nginx: Nginx;
let operator: Operator;
beforeEach(async () => {
  legacy = await startLegacyService();
  legacyApi = await createTestApp({ BCRYPT_COST: '4' });
  legacyServer = createServer(withFiles(legacy.filesDir, legacyListener(legacyApi.url)));
  const [port, rehearsalPort] = [await freePort(), await freePort()];
  const addresses = {
    '127.0.0.1:8000': `127.0.0.1:${await listenOnFreePort(legacyServer)}`,
    '127.0.0.1:4000': `127.0.0.1:${port}`,
  };
  nginx = await startNginx(await filesOfTheMove(), addresses, {
    'auth-gateway/current.conf': 'legacy.conf',
  });
  const settings = {
    NODE_ENV: 'production',
    EMBEDDED_DATABASE: 'allow',
    BASE_URL: nginx.url,
    PORT: String(port),
    HOST: '127.0.0.1',
    ID_FORMAT: 'integer',
    TRUST_PROXY: '1',
    BCRYPT_COST: '4',
    DATA_DIR: 'data',
    STORAGE_DIR: 'documents',
  };
  operator = await anOperator(nginx.folder, settings, {
    ...addresses,
    '127.0.0.1:3306': new URL(legacy.database.uri).host,
    '127.0.0.1:4001': `127.0.0.1:${rehearsalPort}`,
    'PORT=4001': `PORT=${rehearsalPort}`,
    '/var/www/legacy/storage/app/public': legacy.filesDir,
    '/tmp/rehearsal': 'rehearsal',
    'https://api.example.org': nginx.url,
  });
  for (const sql of await documentedBlocks('Access', 'sql')) {
    await legacy.database.query(sql);
  }
}, SCRIPT_MILLIS);
afterEach(async () => {
  const printed = await operator.leave();
  await nginx.stop();
  legacyServer.close().closeAllConnections();
  await legacyApi.stop();
  await legacy.stop();
  expect(legacy.secrets.filter((secret) => printed.includes(secret))).toEqual([]);
});

/** The web server of a legacy service: files below `storage`, and everything else is for PHP. */
const withFiles =
  (filesDir: string, api: RequestListener): RequestListener =>
  (req, res) => {
    const [, file] = /^\/storage\/(doctor_profiles\/\S+)$/.exec(req.url ?? '') ?? [];
    if (file === undefined) {
      api(req, res);
      return;
    }
    createReadStream(path.join(filesDir, file)).pipe(res);
  };

/** The commands under a heading of the document. */
async function commandsOf(heading: string, count: number): Promise<string[]> {
  const blocks = await documentedBlocks(heading);
  expect([heading, blocks.length]).toEqual([heading, count]);
  return blocks;
}

/** Sends SQL as the user that the document makes. */
async function asMover(sql: string): Promise<void> {
  const text = await readFile('docs/migration.md', 'utf8');
  const [, uri = ''] = /LEGACY_DATABASE_URL='(\S+)'/.exec(text) ?? [];
  const connection = await mysql.createConnection(uri.replace('3306', new URL(legacy.database.uri).port));
  await connection.query(sql).finally(() => connection.destroy());
}

/** Every exchange of the replay is the same as in the transcripts. */
const ALL_SAME = /^all +(\d+) +\1 +0 +0$/m;

async function bytesOf(storedPath: string): Promise<Buffer> {
  const response = await fetch(`${nginx.url}/storage/${storedPath}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const statusOf = async (method: string, url: string): Promise<number> =>
  (await fetch(nginx.url + url, { method })).status;

test(
  'the script, the switch and the way back',
  async () => {
    const { query } = legacy.database;
    const { license_file_path: licensePath } = legacy.profiles.doctor;
    for (const commands of await commandsOf('nginx', 1)) {
      await nginx.reloading(() => operator.done(commands));
    }
    const licenseBefore = await bytesOf(licensePath);
    for (const commands of await commandsOf('1. Inspect', 1)) {
      expect(await operator.done(commands)).toContain('Accounts: 15');
    }

    const [startGateway = '', dryRun = '', import_ = ''] = await commandsOf('2. Import', 3);
    const gateway = operator.start(startGateway);
    await gateway.url();
    expect(await operator.done(dryRun)).toContain('nothing was written');
    expect(await operator.done(import_)).toContain('14 accounts taken');

    const [sync = '', watch = ''] = await commandsOf('3. Sync', 2);
    expect(await operator.done(sync)).toContain('nothing was changed');
    const watching = operator.start(watch);
    await watching.printed('nothing has changed');
    await query('DELETE FROM personal_access_tokens WHERE id = ?', [LEGACY_TOKENS.doctor.id]);
    await addAccount(query, { ...cost12, id: 40, email: 'later@example.org', phone: '+49 30 40' });
    await watching.printed('tokens removed');
    await watching.printed('accounts added');

    const [verify = '', verifyTokens = ''] = await commandsOf('4. Verify', 2);
    expect(await operator.done(verify)).toContain('accounts: 16 compared, 0 different');
    const tokens = [LEGACY_TOKENS.crc32b.plain, LEGACY_TOKENS.oldest.plain, LEGACY_TOKENS.used.plain];
    await writeFile(path.join(operator.folder, 'tokens.txt'), tokens.join('\n'));
    expect(await operator.done(verifyTokens)).toContain('3 tokens of the file are accepted');

    const [startRehearsal = '', replay = ''] = await commandsOf('5. Replay both services', 2);
    const rehearsal = operator.start(startRehearsal);
    await rehearsal.url();
    // The legacy service is not the same to the byte, so the first command of the block exits with 1.
    expect((await operator.run(`set +e\n${replay}`)).stdout).toMatch(ALL_SAME);
    const recordings = ['legacy.http', 'gateway.http'].map((name) => path.join(operator.folder, name));
    for (const recording of recordings) {
      expect(await readFile(recording, 'utf8')).toContain('{{token:ada}}');
    }
    operator.interrupt(rehearsal);
    await rehearsal.exitCode();

    for (const commands of await commandsOf('6. Maintenance', 1)) {
      await nginx.reloading(() => operator.done(commands));
    }
    expect(await statusOf('POST', '/api/v1/auth/login')).toBe(503);
    expect(await bytesOf(licensePath)).toEqual(licenseBefore);

    const [wait = '', lastSync = ''] = await commandsOf('7. The last sync', 2);
    await operator.done(wait);
    operator.interrupt(watching);
    expect(await watching.exitCode()).toBe(0);
    await query('UPDATE personal_access_tokens SET last_used_at = NOW() WHERE id = ?', [
      LEGACY_TOKENS.used.id,
    ]);
    await operator.done(lastSync);

    const [switch_ = '', replayAgain = ''] = await commandsOf('8. Switch', 2);
    await nginx.reloading(() => operator.done(switch_));
    expect(await operator.done(replayAgain)).toMatch(ALL_SAME);
    const api = restApi(nginx.url);
    expect(await bytesOf(licensePath)).toEqual(licenseBefore);
    expect((await api.login({ email: patient.email, password: patient.password })).http.status).toBe(200);
    expect((await api.logout(`Bearer ${LEGACY_TOKENS.doctor.plain}`)).http.status).toBe(401);
    expect((await api.logout(`Bearer ${LEGACY_TOKENS.oldest.plain}`)).http.status).toBe(200);
    const newcomer = aPatient({ phone: '+49 30 4711' });
    expect((await api.registerPatient(newcomer)).http.status).toBe(201);

    // The user of the move only reads, until the way back.
    const insert =
      "INSERT INTO accounts (name, email, phone, password) VALUES ('P', 'p@example.org', '1', 'x')";
    for (const sql of [insert, 'DELETE FROM doctor_profiles', 'DELETE FROM personal_access_tokens']) {
      await expect(asMover(sql)).rejects.toThrow('command denied');
    }
    for (const sql of await documentedBlocks('After the switch', 'sql')) {
      await query(sql);
    }
    const [lookBack = '', maintenance = '', waitAgain = '', back = '', legacyAgain = ''] = await commandsOf(
      'After the switch',
      5,
    );
    expect(await operator.done(lookBack)).toContain('back would write');
    await nginx.reloading(() => operator.done(maintenance));
    await operator.done(waitAgain);
    expect(await operator.done(back)).toContain('1 tokens removed');
    await nginx.reloading(() => operator.done(legacyAgain));
    expect(await statusOf('POST', '/api/v1/auth/login')).toBe(422);
    const [row] = await query<{ password: string }>('SELECT password FROM accounts WHERE email = ?', [
      newcomer.email,
    ]);
    expect(await phpPasswordVerify(newcomer.password, String(row?.password))).toBe(true);
    expect(await operator.done(verify)).toContain('0 different');

    for (const finish of await commandsOf('Finish', 1)) {
      expect(await operator.done(finish.replace(/\n$/, ' --yes\n'))).toContain('forgotten');
    }
    expect((await operator.run(sync)).code).toBe(2);
  },
  SCRIPT_MILLIS,
);

test(
  'the way back before the switch',
  async () => {
    const [, , import_ = ''] = await commandsOf('2. Import', 3);
    const [, run = ''] = /^Import (\S+),/m.exec(await operator.done(import_)) ?? [];
    for (const commands of await commandsOf('6. Maintenance', 1)) {
      await nginx.reloading(() => operator.done(commands));
    }
    const [legacyAgain = '', undo = ''] = await commandsOf('Before the switch', 2);
    await nginx.reloading(() => operator.done(legacyAgain));
    expect(await statusOf('POST', '/api/v1/auth/login')).toBe(422);
    expect((await operator.run(undo)).stderr).toContain(run);
    expect(await operator.done(undo.replace('ID\n', `${run} --yes\n`))).toContain('14 accounts removed');
    const [verify = ''] = await commandsOf('4. Verify', 2);
    expect((await operator.run(verify)).stderr).toContain('There was no import');
  },
  SCRIPT_MILLIS,
);
