import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { authenticated, refused } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { graphqlDoor } from '../support/graphql-door.ts';
import { freePort, listenOnFreePort } from '../support/listen.ts';
import { aPatient } from '../support/people.ts';
import { restDoor } from '../support/rest-door.ts';

const workshop = useWorkshop();

describe('a start', () => {
  test('is told in one line with the addresses of both doors, the data and the documents', async () => {
    const gateway = workshop.start();
    const url = await gateway.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(gateway.stdout).toBe(
      `auth-gateway is ready: GraphQL ${url}/graphql, REST ${url}/api/v1/auth, data MongoDB (MONGODB_URI), documents ${workshop.folder}/storage\n`,
    );
    authenticated(await graphqlDoor(url).registerPatient(aPatient()));
    authenticated(await restDoor(url).registerPatient(aPatient()));
    gateway.signal('SIGTERM');
    expect(await gateway.exitCode()).toBe(0);
    expect(gateway.stderr).toBe('');
  });

  test('without MONGODB_URI uses the embedded database, and says where its data is', async () => {
    const settings = { RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: '1' };
    const gateway = workshop.start({ MONGODB_URI: undefined, ...settings });
    const url = await gateway.url();
    expect(gateway.stdout).toContain(`data ${workshop.folder}/data`);
    const patient = aPatient();
    authenticated(await restDoor(url).registerPatient(patient));
    authenticated(await graphqlDoor(url).login(patient));
    const stranger = aPatient();
    refused(await graphqlDoor(url).login(stranger), 'credentials');
    refused(await restDoor(url).login(stranger), 'too many attempts');
    gateway.signal('SIGTERM');
    expect(await gateway.exitCode()).toBe(0);
  });

  test('says which port it took when it was told to take a free one, with a BASE_URL, too', async () => {
    const gateway = workshop.start({ BASE_URL: 'https://auth.example.org' });
    await gateway.url();
    expect(gateway.stdout).toMatch(/\bhttp:\/\/127\.0\.0\.1:\d+\b/);
    gateway.signal('SIGTERM');
    await gateway.exitCode();
  });

  test('takes the port that it is told to take', async () => {
    const port = await freePort();
    const gateway = workshop.start({ PORT: String(port) });
    expect(await gateway.url()).toBe(`http://127.0.0.1:${port}`);
    gateway.signal('SIGTERM');
    expect(await gateway.exitCode()).toBe(0);
  });

  test('reads .env in development, and not in production', async () => {
    const file = path.join(workshop.folder, '.env');
    await writeFile(file, 'BASE_URL=https://from-dot-env.example.org\nLOG_LEVEL=loud\n');
    try {
      const development = workshop.start({ NODE_ENV: undefined });
      expect(await development.url()).toBe('https://from-dot-env.example.org');
      const production = workshop.start({ NODE_ENV: 'production' });
      expect(await production.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      for (const gateway of [development, production]) {
        gateway.signal('SIGTERM');
        expect(await gateway.exitCode()).toBe(0);
      }
    } finally {
      await rm(file);
    }
  });
});

describe('a start that cannot be', () => {
  /** Starts, waits for the end, and says what was complained of. */
  async function complaintOf(settings: Record<string, string | undefined>): Promise<string> {
    const gateway = workshop.start(settings);
    expect(await gateway.exitCode()).toBe(1);
    expect(gateway.stdout).toBe('');
    // A complaint is for people, not a stack of calls.
    expect(gateway.stderr).not.toMatch(/\n\s+at /);
    return gateway.stderr;
  }

  test('with wrong settings names all of them by key, and no value', async () => {
    const complaint = await complaintOf({
      PORT: 'hunter2',
      BCRYPT_COST: 'hunter2',
      MONGODB_URI: 'hunter2',
      LOG_LEVEL: 'hunter2',
    });
    for (const key of ['PORT', 'BCRYPT_COST', 'MONGODB_URI', 'LOG_LEVEL']) expect(complaint).toContain(key);
    expect(complaint).not.toContain('hunter2');
  });

  test('on a taken port says so', async () => {
    const other = createServer();
    const port = String(await listenOnFreePort(other));
    try {
      expect(await complaintOf({ PORT: port })).toContain(port);
    } finally {
      other.close();
    }
  });

  test('in production without MONGODB_URI says so', async () => {
    const complaint = await complaintOf({ NODE_ENV: 'production', MONGODB_URI: undefined });
    expect(complaint).toContain('MONGODB_URI');
    expect(complaint).toContain('EMBEDDED_DATABASE');
  });

  test('with a MongoDB out of reach says so, without its password', async () => {
    const port = await freePort();
    const complaint = await complaintOf({ MONGODB_URI: `mongodb://user:hunter2@127.0.0.1:${port}/test` });
    expect(complaint).toContain(`127.0.0.1:${port}`);
    expect(complaint).not.toContain('hunter2');
  });

  test('with a storage folder that is none says so', async () => {
    const file = path.join(workshop.folder, 'a-file');
    await writeFile(file, '');
    expect(await complaintOf({ STORAGE_DIR: file })).toContain('a-file');
  });
});
