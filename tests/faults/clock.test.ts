import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { throughEachDoor } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused, registeredDoctor, succeeded } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { send } from '../support/http.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restDoor } from '../support/rest-door.ts';
import { type Clock, DAY_MILLIS, openClock } from './support/clock.ts';
import { me, myTokens } from './support/questions.ts';

const workshop = useWorkshop();
const LOGINS_PER_MINUTE = 3;

// With a clock of the whole process, the embedded engine's too. tests/contract/operations/set-clock.test.ts has the rest.
describe('with the embedded database', () => {
  let clock: Clock;
  let gateway: GatewayProcess;
  let url: string;
  let storageDir: string;

  const start = async () => {
    gateway = workshop.start({
      ...clock.settings,
      MONGODB_URI: undefined,
      STORAGE_DIR: storageDir,
      DOCUMENT_ACCESS: 'signed',
      DOCUMENT_URL_SECRET: 'a secret of more than thirty-two characters',
      RATE_LIMIT_LOGINS_PER_MINUTE: String(LOGINS_PER_MINUTE),
      RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000',
    });
    url = await gateway.url();
  };
  const stop = async () => {
    gateway.signal('SIGTERM');
    expect(await gateway.exitCode()).toBe(0);
  };

  beforeAll(async () => {
    storageDir = path.join(workshop.folder, 'storage');
    await mkdir(storageDir);
    clock = await openClock(workshop.folder);
    await start();
  });
  afterEach(() => clock.set(0));
  afterAll(() => stop());

  throughEachDoor((openDoor) => {
    test.each([
      ['back a day', [-DAY_MILLIS]],
      ['forward a day', [DAY_MILLIS]],
      ['forward a day and back', [DAY_MILLIS, 0]],
    ])('everybody stays logged in, and can log in and out, when the clock moves %s', async (_case, moves) => {
      const door = openDoor(url);
      const doctor = aDoctor();
      const { token, profile } = registeredDoctor(await door.registerDoctor(doctor));
      for (const move of moves) {
        await clock.set(move);
        expect((await me(url, token)).email).toBe(doctor.email);
        const again = authenticated(await door.login(doctor)).token;
        expect(await myTokens(url, again)).toContain(token.split('|')[0]);
        succeeded(await door.logout(`Bearer ${again}`));
        refused(await door.logout(`Bearer ${again}`), 'unauthenticated');
        const other = registeredDoctor(await door.registerDoctor(aDoctor()));
        expect((await send(other.profile.licenseFileUrl)).status).toBe(200);
      }
      // A day later the URL of a document is over its time; a day earlier it is not.
      const statusThen = moves.at(-1) === DAY_MILLIS ? 403 : 200;
      expect((await send(profile.licenseFileUrl)).status).toBe(statusThen);
      succeeded(await door.logout(`Bearer ${token}`));
      refused(await door.logout(`Bearer ${token}`), 'unauthenticated');
    });

    test('a clock that is set back locks nobody out until it has caught up', async () => {
      const door = openDoor(url);
      const patient = aPatient();
      authenticated(await door.registerPatient(patient));
      const guessUntilRefused = async () => {
        const wrong = { ...patient, password: 'not this one' };
        for (let i = 0; i < LOGINS_PER_MINUTE; i += 1) {
          refused(await door.login(wrong), 'credentials');
        }
        const refusal = refused(await door.login(wrong), 'too many attempts');
        expect(Number(refusal.http.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      };
      await guessUntilRefused();
      await clock.set(-DAY_MILLIS);
      await guessUntilRefused();
      // By less than it takes for the count to be known as wrong.
      await clock.set(-DAY_MILLIS - 50_000);
      const refusal = refused(await door.login(patient), 'too many attempts');
      expect(refusal.http.headers.get('retry-after')).toBe('60');
      await clock.set(-2 * DAY_MILLIS);
      authenticated(await door.login(patient));
    });
  });

  test('the sweep removes only orphans that are old by the changed clock', async () => {
    const doctor = aDoctor();
    const { token } = registeredDoctor(await restDoor(url).registerDoctor(doctor));
    const orphan = path.join(storageDir, '.quarantine', 'orphan');
    await writeFile(orphan, 'left behind');
    const quarantine = () => readdir(path.dirname(orphan));
    await stop();
    await clock.set(-DAY_MILLIS);
    await start();
    // It has an hour yet, and a day.
    expect(await quarantine()).toEqual(['orphan']);
    await stop();
    await clock.set(0);
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await utimes(orphan, twoHoursAgo, twoHoursAgo);
    await start();
    await eventually(async () => expect(await quarantine()).toEqual([]));
    const { licenseFileUrl } = registeredDoctor(await restDoor(url).registerDoctor(aDoctor())).profile;
    await stop();
    await clock.set(DAY_MILLIS);
    await start();
    await clock.set(0);
    expect((await me(url, token)).email).toBe(doctor.email);
    const { pathname, search } = new URL(licenseFileUrl);
    expect((await send(`${url}${pathname}${search}`)).status).toBe(200);
  });
});
