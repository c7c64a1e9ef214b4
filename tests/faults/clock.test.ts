import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { CLOCK_SETTINGS, DAY_MILLIS, testSetClock } from '../support/set-clock.ts';
import { type Clock, openClock } from './support/clock.ts';
import { me } from './support/questions.ts';

const workshop = useWorkshop();

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
      ...CLOCK_SETTINGS,
    });
    url = await gateway.url();
  };
  const stop = async () => expect(await gateway.stop()).toBe(0);

  beforeAll(async () => {
    storageDir = path.join(workshop.folder, 'storage');
    await mkdir(storageDir);
    clock = await openClock(workshop.folder);
    await start();
  });
  afterEach(() => clock.set(0));
  afterAll(() => stop());

  testSetClock(
    () => url,
    (millis) => clock.set(millis),
  );

  test('the sweep removes only orphans that are old by the changed clock', async () => {
    const doctor = aDoctor();
    const { token } = registeredDoctor(await restApi(url).registerDoctor(doctor));
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
    const { licenseFileUrl } = registeredDoctor(await restApi(url).registerDoctor(aDoctor())).profile;
    await stop();
    await clock.set(DAY_MILLIS);
    await start();
    await clock.set(0);
    expect((await me(url, token)).email).toBe(doctor.email);
    const { pathname, search } = new URL(licenseFileUrl);
    expect((await send(`${url}${pathname}${search}`)).status).toBe(200);
  });
});
