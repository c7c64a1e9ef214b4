import { createApp } from '../../src/app/app.ts';

// Loaded with the test file: jest takes seconds for it, and a start must not.
import '../../src/app/apis.ts';
import { readConfig } from '../../src/config/config.ts';
import type { StoredAuditEvent } from '../../src/stores/audit-event-record.ts';
import { createLog } from '../../src/system/log.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { authenticated, refused, succeeded } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import type { HttpResponse } from '../support/http.ts';
import { aPatient, freshPassword } from '../support/people.ts';
import { expectNoSecretsIn } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';

// Some events are written after the answer, but a graceful stop loses none of them.
const workshop = useWorkshop();

/** Longer than a test may take: a stop that waited for its end would fail. */
const LONG_GRACE = { STOP_GRACE_SECONDS: '600' };

const requestIdOf = ({ headers }: HttpResponse): string => headers.get('x-request-id') ?? '';

/** The ids of the requests that the trail in the database tells of. */
async function inDatabase(): Promise<string[]> {
  const events = await workshop.database.db.collection<StoredAuditEvent>('audit_events').find().toArray();
  return events.map(({ requestId }) => requestId);
}

/** The ids of the requests whose events are in the log instead. */
const inLog = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const { event } = line.startsWith('{') ? (JSON.parse(line) as { event?: StoredAuditEvent }) : {};
    return event ? [event.requestId] : [];
  });

/** Starts the app in this process on the database of the workshop, which outlives the app. */
async function startApp(settings: Record<string, string>) {
  const log: string[] = [];
  const config = readConfig(workshop.environment({ ...LONG_GRACE, ...settings }));
  const app = createApp(config, createLog('info', { write: (line) => void log.push(line) }));
  const { address: url } = await app.start();
  const stop = async () => {
    await app.stop();
    expectNoSecretsIn(log.join(''));
  };
  return { url, log, stop };
}

/** What leaves traces through both APIs, as fast as it goes; gives the ids of its requests. */
async function act(url: string): Promise<string[]> {
  const patient = aPatient();
  const { token, http: registration } = authenticated(await restApi(url).registerPatient(patient));
  const wrong = { ...patient, password: freshPassword() };
  const outcomes = await Promise.all([
    graphqlApi(url).login(wrong),
    restApi(url).login(wrong),
    graphqlApi(url).logout(`Bearer ${token}`),
  ]);
  refused(outcomes[0], 'credentials');
  succeeded(outcomes[2]);
  return [registration, ...outcomes.map(({ http }) => http)].map(requestIdOf);
}

/** What leaves a trace that the database cannot have yet: all that was told before may have been written by now. */
async function actInVain(url: string): Promise<string> {
  return requestIdOf(refused(await restApi(url).login(aPatient()), 'unavailable').http);
}

test('the database has the events of the last moment before a stop', async () => {
  const gateway = workshop.start(LONG_GRACE);
  const told = await act(await gateway.url());
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
  expect(await inDatabase()).toEqual(expect.arrayContaining(told));
  expect(inLog(gateway.stdout.split('\n'))).toEqual([]);
});

describe('with the database away', () => {
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    proxy = await startDatabaseProxy();
  });
  afterAll(async () => {
    await proxy.restore();
    await proxy.stop();
  });

  test.each(['cut', 'swallow'] as const)(
    'a stop with the database away logs the waiting events: %s',
    async (fault) => {
      await proxy.restore();
      const { url, log, stop } = await startApp({ MONGODB_URI: proxy.through(workshop.database.uri) });
      const told = await act(url);
      await proxy[fault]();
      told.push(await actInVain(url));
      await stop();
      const found = await inDatabase();
      // A write that was under way may have arrived; whatever has not is in the log.
      expect([...found, ...inLog(log)]).toEqual(expect.arrayContaining(told));
      expect(inLog(log)).toContain(told.at(-1));
    },
  );
});
