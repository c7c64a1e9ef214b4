import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import mysql from 'mysql2/promise';
import { SEARCH_PATH } from '../../services/support/programs.mjs';

/** Below the ports that the system assigns by itself, so that a stopped server gets its port again. */
const [FIRST_PORT, END_PORT] = [10_240, 32_768];
const DATABASE = 'legacy';
const USER = 'legacy';

/** For the data of a test: a small log, and no wait for the disk. A killed process still loses nothing. */
const TEST_OPTIONS = [
  '--innodb-log-file-size=16M',
  '--innodb-flush-log-at-trx-commit=2',
  '--innodb-flush-method=nosync',
  '--skip-innodb-doublewrite',
];

/** Without the files of /etc/mysql. MariaDB refuses to run as root unless it is told to. */
const baseOptions = (folder) => [
  '--no-defaults',
  `--datadir=${path.join(folder, 'data')}`,
  // A server deletes temporary tables by their names, also those of another server in the same folder.
  `--tmpdir=${folder}`,
  `--user=${userInfo().username}`,
];

/** Documented in mariadb.d.mts. */
export async function startMariaDb(options = []) {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-mariadb-'));
  await install(folder);
  const socketPath = path.join(folder, 'socket');
  const serverOptions = [
    ...baseOptions(folder),
    `--socket=${socketPath}`,
    '--bind-address=127.0.0.1',
    '--skip-name-resolve',
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_unicode_ci',
    ...TEST_OPTIONS,
    ...options,
  ];
  let port;
  let running;
  while (running === undefined) {
    port = randomInt(FIRST_PORT, END_PORT);
    running = await run([...serverOptions, `--port=${port}`]);
  }
  const password = randomBytes(12).toString('hex');
  const root = { socketPath, user: 'root', multipleStatements: true };
  const connection = await mysql.createConnection(root);
  await connection.query(
    `CREATE DATABASE ${DATABASE}; GRANT ALL ON ${DATABASE}.* TO '${USER}'@'127.0.0.1' IDENTIFIED BY '${password}'`,
  );
  await connection.end();
  const pool = mysql.createPool({ ...root, database: DATABASE, dateStrings: true, supportBigNumbers: true });
  const kill = async () => {
    running.child.kill('SIGKILL');
    await running.end;
  };
  return {
    uri: `mysql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`,
    password,
    query: async (sql, values) => (await pool.query(sql, values))[0],
    kill,
    pause: () => void running.child.kill('SIGSTOP'),
    resume: () => void running.child.kill('SIGCONT'),
    async start() {
      running = await run([...serverOptions, `--port=${port}`]);
      if (running === undefined) {
        throw new Error(`port ${port} is in use`);
      }
    },
    async stop() {
      await pool.end();
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** Makes the data folder. Its root user needs no password, and only the current user reaches the socket. */
async function install(folder) {
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db', ...TEST_OPTIONS];
  const { child, output } = start('mariadb-install-db', [...baseOptions(folder), ...options]);
  const [code] = await once(child, 'close');
  if (code !== 0) {
    throw new Error(`mariadb-install-db ended with ${code}:\n${output()}`);
  }
}

/** Starts a server and waits until it accepts connections. Resolves with undefined if its port is in use. */
async function run(options) {
  const { child, output } = start('mariadbd', options);
  const end = once(child, 'close');
  const isReady = await new Promise((resolve) => {
    child.stderr.on('data', () => output().includes('ready for connections') && resolve(true));
    end.then(() => resolve(false));
  });
  if (isReady) {
    return { child, end };
  }
  if (output().includes('Bind on TCP/IP port')) {
    return undefined;
  }
  throw new Error(`mariadbd ended:\n${output()}`);
}

function start(program, words) {
  const child = spawn(program, words, { env: { PATH: SEARCH_PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return { child, output: () => output };
}
