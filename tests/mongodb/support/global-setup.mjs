import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:tls';
import { MongoClient } from 'mongodb';
import { selfSigned } from '../../support/certificate.mjs';
import { embeddedEngine, givenDatabase, setUpOn } from '../../support/global-setup.mjs';
import { findMongod, startMongod, testsLeftOut } from './mongod.mjs';

const ADDRESS = '127.0.0.1';

/** The set-up of every tier, on a lone MongoDB with TLS and users, or on the embedded engine with TLS. */
export default async function globalSetup() {
  await setUpOn(async () => {
    const mongod = await findMongod();
    const { files, tests } = await testsLeftOut();
    if (tests > 0) {
      const reason = mongod ? 'TEST_MONGODB_URI is set' : 'No mongod (TEST_MONGOD)';
      process.stdout.write(`${reason}, so ${tests} tests are left out: ${files.join(', ')}\n`);
    }
    // For the tests of a replica set, which start servers of their own.
    process.env.TEST_MONGOD_PATH = mongod ?? '';
    return (await givenDatabase()) ?? (mongod ? loneMongod(mongod) : engineWithTls());
  });
}

/** Writes a certificate for loopback, and the key with it, as `mongod` wants both. */
async function writeCertificate(folder) {
  const { cert, key } = selfSigned(ADDRESS);
  const [certFile, bothFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'both.pem')];
  await writeFile(certFile, cert);
  await writeFile(bothFile, cert + key, { mode: 0o600 });
  return { cert, key, certFile, bothFile };
}

const temporaryFolder = () => mkdtemp(path.join(tmpdir(), 'auth-gateway-mongodb-'));

/** A `mongod` that only knows its users, over TLS. The tests make a user for each database (tests/support/database.ts). */
async function loneMongod(mongod) {
  const folder = await temporaryFolder();
  const { certFile, bothFile } = await writeCertificate(folder);
  const tls = ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', bothFile, '--tlsCAFile', certFile];
  const options = ['--auth', ...tls, '--tlsAllowConnectionsWithoutCertificates'];
  const port = await freePort();
  const child = await startMongod({ mongod, port, folder, options });
  const query = `tls=true&tlsCAFile=${encodeURIComponent(certFile)}`;
  const password = randomBytes(12).toString('hex');
  // From loopback and without users, everybody may make the first one.
  const client = await MongoClient.connect(`mongodb://${ADDRESS}:${port}/?${query}&directConnection=true`);
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  await client.db('admin').command({ createUser: 'tests', pwd: password, roles: ['root'] });
  await client.close();
  process.env.TEST_DATABASE_USERS = 'on';
  const uri = `mongodb://tests:${password}@${ADDRESS}:${port}/?${query}&authSource=admin&directConnection=true`;
  // For the table of truth, which the tests of the engine compare with this server.
  process.env.TEST_MONGODB_URI = uri;
  return {
    uri,
    description: `mongod ${version}, with TLS, a user for each database`,
    stop: async () => {
      child.kill();
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The embedded engine behind an end with TLS, which it does not have itself. It has no users. */
async function engineWithTls() {
  const engine = await embeddedEngine();
  const folder = await temporaryFolder();
  const { cert, key, certFile } = await writeCertificate(folder);
  const enginePort = Number(new URL(engine.uri).port);
  const open = new Set();
  const end = createServer({ cert, key }, (secure) => {
    const plain = connect(enginePort, ADDRESS);
    open.add(secure);
    secure.on('close', () => {
      open.delete(secure);
      plain.destroy();
    });
    plain.on('close', () => secure.destroy());
    secure.on('error', () => {});
    plain.on('error', () => {});
    secure.pipe(plain).pipe(secure);
  });
  end.listen(0, ADDRESS);
  await once(end, 'listening');
  return {
    uri: `mongodb://${ADDRESS}:${end.address().port}/?tls=true&tlsCAFile=${encodeURIComponent(certFile)}&directConnection=true`,
    description: 'the embedded engine, with TLS',
    stop: async () => {
      end.close();
      for (const secure of open) {
        secure.destroy();
      }
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, ADDRESS);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
