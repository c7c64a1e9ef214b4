import { setTimeout as wait } from 'node:timers/promises';
import { allFiles } from '../documents/support/aftermath.ts';
import { eventually } from '../support/eventually.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { registeredInTheEnd, withRetries } from '../support/retries.ts';
import { expectWhole, type Registrant } from '../support/whole-account.ts';
import { stopWithoutWarnings, storageOf } from './support/instances.ts';
import { adopt, leaveOrphans } from './support/orphans.ts';

/** More than there are orphans: a sweep that would take most of what there is takes nothing. */
const OWNED = 150;
const ORPHANS = 120;
const YOUNG = 20;
const HOUR_MILLIS = 3_600_000;
const MARGIN_MILLIS = 300_000;
const REGISTERING = 2;
/** This gives the sweeps their share of the machine. */
const PAUSE_MILLIS = 100;
/** Under load, far more than it takes. */
const PATIENCE_MILLIS = 80_000;

const workshop = useWorkshop('own');
const storage = () => storageOf({ workshop });
const SETTINGS = { RATE_LIMIT: 'off' };

/** Registers people until it is stopped. */
function keepRegistering(url: string): { stop(): Promise<{ registrant: Registrant; token: string }[]> } {
  const made: { registrant: Registrant; token: string }[] = [];
  let isOver = false;
  const registerPeople = async (index: number) => {
    const api = index % 2 === 0 ? restApi(url) : graphqlApi(url);
    while (!isOver) {
      const doctor = aDoctor();
      const patient = aPatient();
      const asDoctor = await registeredInTheEnd(api, doctor, () => api.registerDoctor(doctor));
      made.push({ registrant: { person: doctor, documents: doctor }, token: asDoctor.token });
      const asPatient = await registeredInTheEnd(api, patient, () => api.registerPatient(patient));
      made.push({ registrant: { person: patient, documents: undefined }, token: asPatient.token });
      await wait(PAUSE_MILLIS);
    }
  };
  const running = Promise.all(Array.from({ length: REGISTERING }, (_, index) => registerPeople(index)));
  return {
    stop: async () => {
      isOver = true;
      await running;
      return made;
    },
  };
}

/** Starts an instance, and waits until its first sweep is over: it is to have no part in what follows. */
async function startAndSweep() {
  const busy = workshop.start({ ...SETTINGS, LOG_LEVEL: 'debug' });
  const url = await busy.url();
  await eventually(() => expect(busy.stdout).toContain('the sweep found no orphans'));
  return { busy, url };
}

test('simultaneous sweeps of two instances during registrations remove all old orphans and nothing else', async () => {
  const { database, storageDir } = storage();
  const old = new Date(Date.now() - HOUR_MILLIS - MARGIN_MILLIS);
  const { busy, url } = await startAndSweep();
  const adopted = await leaveOrphans(storage(), OWNED, old);
  await adopt(storage());
  const orphans = await leaveOrphans(storage(), ORPHANS, old);
  const young = await leaveOrphans(storage(), YOUNG, new Date(Date.now() - HOUR_MILLIS + MARGIN_MILLIS));

  const registering = keepRegistering(url);
  const sweepers = [workshop.start(SETTINGS), workshop.start(SETTINGS)];
  // Documents come last in a sweep.
  await eventually(async () => {
    expect(await database.tokens.countDocuments({ createdAt: old })).toBe(OWNED);
    const files = new Set(await allFiles(storageDir));
    expect(orphans.filter((file) => files.has(file)).length).toBe(0);
  }, PATIENCE_MILLIS);
  const made = await registering.stop();
  for (const { registrant, token } of made) {
    await withRetries(() => expectWhole(registrant, url, token));
  }
  await Promise.all([busy, ...sweepers].map(stopWithoutWarnings));

  const owned = adopted.filter((file) => !file.startsWith('.quarantine'));
  const files = await allFiles(storageDir);
  expect([...owned, ...young].filter((file) => !files.includes(file))).toEqual([]);
  const doctors = made.filter(({ registrant }) => registrant.documents).length;
  expect(files).toHaveLength(owned.length + young.length + 3 * doctors);
  const { tokens, ...others } = await database.count();
  expect(others).toEqual({ accounts: OWNED + made.length, profiles: OWNED + YOUNG + doctors });
  // A call that was refused and then repeated may have one more token, of a login.
  expect(tokens).toBeGreaterThanOrEqual(OWNED + YOUNG + made.length);
}, 180_000);
