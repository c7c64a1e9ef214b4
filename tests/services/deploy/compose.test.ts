import { cp, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { parse } from 'yaml';
import { readConfig } from '../../../src/config/config.ts';
import { runIn } from '../../support/consumer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// No container engine runs here: docker-compose checks the form of the file, and these tests what it says.
const FILE = 'deploy/compose.yaml';

interface Service {
  environment?: Record<string, string | number>;
  healthcheck?: object;
  image: string;
  networks?: string[];
  ports?: string[];
  restart?: string;
  secrets?: string[];
  volumes?: string[];
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  networks: Record<string, { internal?: boolean }>;
}

const folder = temporaryFolder();
let compose: Compose;
let secrets: string;
beforeAll(async () => {
  compose = parse(await readFile(FILE, 'utf8'), { merge: true });
  await cp('deploy', path.join(folder, 'deploy'), {
    recursive: true,
    filter: (file) => path.basename(file) !== 'secrets',
  });
  await runIn(folder, 'sh', 'deploy/compose-secrets.sh');
  secrets = path.join(folder, 'deploy/secrets');
});

const servicesNamed = (start: string) =>
  Object.entries(compose.services).flatMap(([name, service]) => (name.startsWith(start) ? [service] : []));

test('docker-compose accepts the file', async () => {
  // The one of Debian 12 does not know `name`.
  const command = `sed '/^name:/d' ${FILE} | docker-compose --file - --project-directory deploy config --quiet`;
  await runIn(path.resolve('.'), 'sh', '-c', command);
});

test('every secret and file that it mounts exists, and no secret is in the environment', async () => {
  const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
    volumes.filter((volume) => volume.startsWith('.')).map((volume) => volume.split(':')[0] ?? ''),
  );
  expect(mounted.length).toBeGreaterThan(0);
  const files = [...mounted, ...Object.values(compose.secrets).map(({ file }) => file)];
  for (const file of files) {
    expect((await stat(path.join(folder, 'deploy', file))).isFile()).toBe(true);
  }
  expect(Object.keys(compose.secrets).sort()).toEqual((await readdir(secrets)).sort());
  for (const { environment = {} } of Object.values(compose.services)) {
    expect(Object.keys(environment).filter((key) => /PASSWORD|SECRET|URI$|SMTP_URL$/.test(key))).toEqual([]);
  }
});

test('the gateways start with the settings and the secrets', () => {
  for (const service of servicesNamed('gateway')) {
    const texts = Object.entries(service.environment ?? {}).map(([key, value]) => {
      const text = String(value).replace(/\$\{\w+:-(.*?)\}/g, '$1');
      return [key, text.replace('/run/secrets', secrets)];
    });
    const { database, trustProxy, baseUrl } = readConfig({
      NODE_ENV: 'production',
      ...Object.fromEntries(texts),
    });
    expect(database).toMatchObject({ kind: 'mongodb', uri: expect.stringContaining('replicaSet=rs0') });
    expect([trustProxy, baseUrl]).toEqual([1, 'https://localhost']);
    expect(service.secrets).toEqual(['mongodb_uri']);
  }
});

test('only the proxy has ports, the database no way out, and what fails is started again and checked', () => {
  for (const [name, { ports, restart, healthcheck, image }] of Object.entries(compose.services)) {
    expect([name, ports !== undefined]).toEqual([name, name === 'proxy']);
    // The image of the gateway has a check of its own, and the replica set is made once.
    const isChecked = healthcheck !== undefined || image === 'auth-gateway';
    expect([name, restart, isChecked]).toEqual(
      name === 'replica-set' ? [name, undefined, false] : [name, 'unless-stopped', true],
    );
  }
  expect(compose.networks.database?.internal).toBe(true);
  for (const { networks } of servicesNamed('mongo')) {
    expect(networks).toEqual(['database']);
  }
});

test('the script makes secrets that fit together, and keeps those that there are', async () => {
  const read = () =>
    Promise.all(
      ['mongo_gateway_password', 'mongodb_uri', 'mongo_keyfile'].map((file) =>
        readFile(path.join(secrets, file), 'utf8'),
      ),
    );
  const made = await read();
  const [password = '', uri = '', keyfile = ''] = made.map((text) => text.trim());
  expect(new URL(uri).password).toBe(password);
  // Between 6 and 1024 characters of Base64.
  expect(keyfile).toMatch(/^[A-Za-z0-9+/=]{1000,1024}$/);
  expect((await stat(secrets)).mode & 0o777).toBe(0o700);
  await runIn(folder, 'sh', 'deploy/compose-secrets.sh');
  expect(await read()).toEqual(made);
});

/** A MongoDB for the script: knows if it is a replica set, and its users. */
function fakeMongoDb() {
  const state = { members: [] as { host: string }[], users: new Map<string, string>(), user: '' };
  const create = ({ user, pwd }: { user: string; pwd: string }) => {
    if (state.users.size > 0 && state.user !== 'admin') {
      throw Object.assign(new Error('not authorized'), { codeName: 'Unauthorized' });
    }
    state.users.set(user, pwd);
  };
  const db = {
    hello: () => (state.members.length > 0 ? { setName: 'rs0', isWritablePrimary: true } : {}),
    adminCommand: ({ replSetInitiate: { members } }: { replSetInitiate: typeof state }) => {
      state.members = members;
    },
    createUser: create,
    getUser: (user: string) => (state.users.has(user) ? { user } : null),
    auth: (user: string, password: string) => {
      expect(state.users.get(user)).toBe(password);
      state.user = user;
    },
    getSiblingDB: () => db,
  };
  return { state, db };
}

test('the script for MongoDB makes the replica set and both users, also after a run that was cut off', async () => {
  const script = await readFile('deploy/mongodb/replica-set.js', 'utf8');
  const { state, db } = fakeMongoDb();
  const run = () => {
    state.user = '';
    const required = { readFileSync: (file: string) => `${path.basename(file)}\n` };
    runInContext(
      `{${script}}`,
      createContext({ connect: () => db, require: () => required, sleep: () => {} }),
    );
  };
  run();
  expect(state.members.map(({ host }) => host)).toEqual(['mongo1:27017', 'mongo2:27017', 'mongo3:27017']);
  const users = { admin: 'mongo_admin_password', gateway: 'mongo_gateway_password' };
  expect(Object.fromEntries(state.users)).toEqual(users);
  state.users.delete('gateway');
  run();
  run();
  expect(Object.fromEntries(state.users)).toEqual(users);
});
