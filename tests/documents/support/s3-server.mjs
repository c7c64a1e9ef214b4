import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

/** Starts a real S3 server (s3rver) on loopback with one bucket; it checks signatures as Amazon's does. */
export async function startS3Server() {
  const directory = await mkdtemp(path.join(tmpdir(), 'auth-gateway-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'documents', configs: [] }],
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    directory,
    stop: async () => {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}
