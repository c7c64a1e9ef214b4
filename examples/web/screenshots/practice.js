import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Starts the gateway and the example with data of their own. A reviewer is there. */
export async function startPractice() {
  const folder = await mkdtemp(path.join(tmpdir(), 'example-practice-'));
  const [port, pagePort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    EXAMPLE_PORT: String(pagePort),
    DATA_DIR: path.join(folder, 'data'),
    STORAGE_DIR: path.join(folder, 'storage'),
    LOG_LEVEL: 'silent',
  };
  const started = spawn(process.execPath, [path.join(root, 'examples/web/start.js')], { cwd: folder, env });
  const page = await addressIn(started);
  const reviewer = { email: 'rita@example.org', password: 'a long and quiet river' };
  const create = ['accounts', 'create', '--role', 'reviewer', '--name', 'Rita Reviewer'];
  execFileSync(
    process.execPath,
    [
      path.join(root, 'dist/auth-gateway.js'),
      'admin',
      ...create,
      '--email',
      reviewer.email,
      '--password-stdin',
    ],
    { cwd: folder, env, input: `${reviewer.password}\n` },
  );
  return {
    folder,
    reviewer,
    page,
    gateway: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        started.once('exit', resolve);
        started.kill();
      }),
  };
}

/** Waits until the example says where it is. */
async function addressIn(started) {
  let output = '';
  for await (const chunk of started.stdout) {
    output += chunk;
    const [, address] = /example application is ready: (\S+)/.exec(output) ?? [];
    if (address) {
      return address;
    }
  }
  throw new Error('the example did not start');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
