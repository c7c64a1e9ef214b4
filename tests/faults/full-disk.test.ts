import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Outcome } from '../support/apis.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused, registeredDoctor, succeeded } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { jsonOf, send } from '../support/http.ts';
import { PROMISED_MILLIS } from '../support/outages.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { comingAgain, withRetries } from '../support/retries.ts';
import { someAtATime } from '../support/some-at-a-time.ts';
import { DISKS, useDisk } from './support/disks.ts';
import { me } from './support/questions.ts';

const workshop = useWorkshop();
/** What LMDB says when it finds no room itself; it must not come to that, since it damages its memory then. */
const FAILED_COMMIT = /Write error/;
const CLI = path.resolve('packages/embedded-mongo/dist/cli.js');

describe.each(DISKS)('with $name', ({ openDisk }) => {
  describe('full data', () => {
    const used = useDisk(workshop, openDisk, (folder) => ({
      DATA_DIR: path.join(folder, 'data'),
      MONGODB_URI: undefined,
    }));

    const register = async () => {
      const patient = aPatient();
      return { patient, outcome: await restApi(used.url).registerPatient(patient) };
    };

    /** Whether somebody was refused because the disk is full, and not because it is slow, by what is logged of it. */
    async function isRefusedAsFull({ ok, http }: Outcome): Promise<boolean> {
      if (ok) {
        return false;
      }
      const id = http.headers.get('x-request-id') ?? '';
      const reasons = () =>
        used.gateway.stdout
          .split('\n')
          .filter((line) => line.includes(id) && line.includes('"Service Unavailable"'));
      await eventually(() => expect(reasons()).not.toEqual([]));
      return reasons().every((line) => line.includes('"the disk is full"'));
    }

    /** Registers twenty people at once, again and again, until all are refused because the disk is full. */
    async function registerUntilRefused() {
      const registered: { patient: ReturnType<typeof aPatient>; token: string }[] = [];
      const registerTwenty = async () => {
        const startedAt = performance.now();
        const outcomes = await Promise.all(Array.from({ length: 20 }, register));
        const millis = performance.now() - startedAt;
        for (const { patient, outcome } of outcomes) {
          if (outcome.ok) {
            registered.push({ patient, token: authenticated(outcome).token });
          } else {
            expect(refused(outcome, 'unavailable').http.headers.get('retry-after')).toBe('2');
          }
        }
        const areFull = await Promise.all(outcomes.map(({ outcome }) => isRefusedAsFull(outcome)));
        return { millis, isFull: areFull.every(Boolean) };
      };
      await withRetries(async () => {
        let last = await registerTwenty();
        while (!last.isFull) {
          last = await registerTwenty();
        }
        expect(last.millis).toBeLessThan(PROMISED_MILLIS);
      });
      return registered;
    }

    const expectReadiness = (status: number, database: string) =>
      eventually(async () => {
        const answer = await send(`${used.url}/readyz`);
        expect(jsonOf(answer)).toMatchObject({ checks: { database } });
        expect(answer.status).toBe(status);
      });

    test('a full data folder refuses writes, answers reads, and loses nothing in a kill', async () => {
      const { disk } = used;
      const first = aPatient();
      const { token } = authenticated(await restApi(used.url).registerPatient(first));
      await disk.fill(used.gateway.pid);
      const registered = await registerUntilRefused();
      expect((await me(used.url, token)).email).toBe(first.email);
      await used.kill();
      // A command that reads the data claims its folder, and writes for that. The limit has ended with the gateway.
      await disk.makeRoom(process.pid);
      const verified = await promisify(execFile)(process.execPath, [
        CLI,
        'verify',
        '--path',
        `${disk.folder}/data`,
      ]);
      expect(verified.stdout).toContain(' 0 problems');

      await used.start();
      expect(registered).not.toEqual([]);
      await someAtATime(registered, async ({ patient, token }) => {
        expect((await withRetries(() => me(used.url, token))).email).toBe(patient.email);
        authenticated(await comingAgain(() => restApi(used.url).login(patient)));
      });
    });

    test('a full data folder is writable again when there is room, and the process stops cleanly', async () => {
      const { disk, gateway, url } = used;
      const api = graphqlApi(url);
      const patient = aPatient();
      const { token } = authenticated(await api.registerPatient(patient));
      await disk.fill(gateway.pid);
      await registerUntilRefused();
      // One alone may find the last of the room, which so many at once do not.
      await eventually(async () => refused(await api.login(patient), 'unavailable'));
      await eventually(async () => refused(await api.registerDoctor(aDoctor()), 'unavailable'));
      await expectReadiness(503, 'is out of room');
      await disk.makeRoom(gateway.pid);
      await expectReadiness(200, 'ok');
      await eventually(async () => registeredDoctor(await api.registerDoctor(aDoctor())));
      succeeded(await api.logout(`Bearer ${token}`));
      authenticated(await comingAgain(() => api.login(patient)));
      await disk.fill(gateway.pid);
      await registerUntilRefused();
      expect(await gateway.stop()).toBe(0);
      expect(gateway.stderr).not.toMatch(FAILED_COMMIT);
      await disk.makeRoom(process.pid);
    });
  });
});

describe('on a disk that is already full', () => {
  const folder = () => path.join(workshop.folder, 'full/data');
  /** No file of the program may grow. */
  const onFullDisk = (...words: string[]) =>
    promisify(execFile)('prlimit', ['--fsize=0:', process.execPath, ...words], {
      env: {
        ...process.env,
        MONGODB_URI: '',
        EMBEDDED_DATABASE: 'allow',
        DATA_DIR: folder(),
        STORAGE_DIR: path.join(workshop.folder, 'storage'),
        PORT: '0',
      },
    }).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    );
  const SENTENCE = () => `The disk of ${folder()} is full, and opening its database needs some room.`;

  beforeAll(async () => {
    const gateway = workshop.start({ DATA_DIR: folder(), MONGODB_URI: undefined });
    await gateway.url();
    await gateway.stop();
  });

  test('db verify says so in one sentence', async () => {
    expect(await onFullDisk(CLI, 'verify', '--path', folder())).toBe(`${SENTENCE()}\n`);
  });

  test('a start says so in one sentence', async () => {
    const prefix = `auth-gateway: The data folder ${folder()} cannot be used (DATA_DIR): `;
    expect(await onFullDisk('dist/main.js')).toBe(`${prefix}${SENTENCE()}\n`);
  });
});
