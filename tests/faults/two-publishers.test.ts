import { startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated } from '../support/expectations.ts';
import { FEED, readAll, readFeed } from '../support/feed.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { tokenIdOf } from '../support/session.ts';

// Two gateways: one is paused again and again, the other one is cut off from the database. Every act that was answered has its row.
const workshop = useWorkshop('own');
const ACTS = Number(process.env.TEST_ACTS ?? 1_500);
const IN_PARALLEL = 16;

test('no answered act is missing, and none comes twice', async () => {
  const proxy = await startDatabaseProxy(workshop.database.uri);
  const settings = { ...FEED, LOG_LEVEL: 'fatal', RATE_LIMIT: 'off', BCRYPT_COST: '4' };
  const [paused, cut] = [
    workshop.start(settings),
    workshop.start({ ...settings, MONGODB_URI: proxy.through(workshop.database.uri) }),
  ];
  const urls = [await paused.url(), await cut.url()] as const;
  const { next: after } = await readFeed(urls[0], {});
  const answered: string[] = [];
  let left = ACTS;
  let isOver = false;
  const people = await Promise.all(
    Array.from({ length: IN_PARALLEL }, async (_, index) => {
      const person = aPatient();
      const { token } = authenticated(await restApi(urls[index % 2] ?? '').registerPatient(person));
      return { person, token, api: restApi(urls[index % 2] ?? '') };
    }),
  );
  const act = async ({ person, api }: (typeof people)[number]) => {
    while (left > 0) {
      left -= 1;
      // A login and its logout: what fails is not answered.
      const login = await api.login(person).catch(() => undefined);
      if (login?.ok) {
        const { token } = authenticated(login);
        const logout = await api.logout(`Bearer ${token}`).catch(() => undefined);
        if (logout?.ok) {
          answered.push(tokenIdOf(token));
        }
      }
    }
  };
  const disturb = async () => {
    while (!isOver) {
      paused.signal('SIGSTOP');
      await pause(300);
      paused.signal('SIGCONT');
      await pause(300);
      await proxy.cut();
      await pause(300);
      await proxy.restore();
      await pause(700);
    }
  };
  const disturbing = disturb();
  await Promise.all(people.map(act));
  isOver = true;
  await disturbing;
  // The registrations of this test came before the cursor or behind it.
  await eventually(async () => {
    const { events } = await readAll(urls[0], after);
    const revoked = events.filter(({ type }) => type === 'sessions.revoked').map(({ token }) => token);
    const rows = new Set(revoked);
    expect(answered.filter((id) => !rows.has(id))).toEqual([]);
    expect(rows.size).toBe(revoked.length);
  });
  const positions = await workshop.database.db
    .collection<{ _id: number }>('events')
    .find({}, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .toArray();
  expect(positions.map(({ _id }) => _id)).toEqual(positions.map((_, index) => index + 1));
  expect(answered.length).toBeGreaterThan(ACTS / 2);
  process.stdout.write(
    `${answered.length} of ${ACTS} acts were answered, and ${positions.length} rows are there\n`,
  );
  await proxy.stop();
});

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));
