import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';

/*
 * Runs the installed gateway in the folder that this process was started in, with its data in memory, until the process that
 * started this one disconnects or dies. Then it removes the folder.
 */
const folder = process.cwd();
process.on('exit', () => {
  // Windows does not remove a folder that a process is in.
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true, force: true });
});

/** The gateway stops at SIGTERM; before it is loaded there is nothing to stop. */
const stop = () => {
  if (!process.emit('SIGTERM', 'SIGTERM')) {
    process.exit();
  }
};
process.on('disconnect', stop);
// The other process may have died before this program was loaded. That event has passed.
if (!process.connected) {
  stop();
}
process.on('SIGHUP', stop);

function findGateway(): string {
  try {
    return import.meta.resolve('auth-gateway/main');
  } catch {
    process.stderr.write('the package auth-gateway is not installed beside @auth-gateway/testing.\n');
    process.exit(1);
  }
}

const gateway = findGateway();
if (!process.env.MONGODB_URI) {
  const { startEmbeddedMongo } = await import('@auth-gateway/embedded-mongo');
  const { uri } = await startEmbeddedMongo({ path: ':memory:' });
  process.env.MONGODB_URI = uri;
  // The gateway would refuse both.
  if (process.env.DATA_DIR === ':memory:') {
    delete process.env.DATA_DIR;
  }
}
await import(gateway);
