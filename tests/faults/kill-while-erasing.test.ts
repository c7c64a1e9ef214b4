import path from 'node:path';
import { allFiles } from '../documents/support/aftermath.ts';
import { stopWithoutWarnings } from '../instances/support/instances.ts';
import { eventually } from '../support/eventually.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor } from '../support/people.ts';
import { auditEvents, deleteAccount } from '../support/privacy.ts';
import { accountOf } from '../support/session.ts';
import { dyingAt } from './support/killed-at.ts';

/** Early, in the middle and late. kill-while-removing.test.ts ends an erasure before each of its steps. */
const MOMENTS = [
  'answered update accounts 1',
  'removed document stored 1',
  'answered delete access_tokens 1',
  'answered insert audit_events 1',
];

const workshop = useWorkshop('own');
const start = (settings: Record<string, string> = {}) =>
  workshop.start({ ERASURE_GRACE_DAYS: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'debug', ...settings });

let running: GatewayProcess | undefined;

/** A doctor whose account was closed, and a token that a login at that moment has left behind. */
async function closedDoctor(url: string) {
  const doctor = aDoctor();
  const { account, token } = registeredDoctor(await graphqlApi(url).registerDoctor(doctor));
  const { tokens, db } = workshop.database;
  const stored = await tokens.findOne({ accountId: account.id });
  await deleteAccount(url, token, doctor.password);
  await tokens.insertOne({ ...stored, _id: `late${account.id}` } as never);
  await db.collection('reset_tokens').insertOne({ accountId: account.id });
  await db.collection('outgoing_mails').insertOne({ order: { to: { accountId: account.id } } });
  return { id: account.id, email: doctor.email, token };
}

async function expectErased({ id }: { id: string }): Promise<void> {
  const { accounts, profiles, tokens, db } = workshop.database;
  await eventually(async () => expect(await accounts.countDocuments({ _id: id })).toBe(0));
  expect(await profiles.countDocuments({ _id: id })).toBe(0);
  expect(await tokens.countDocuments({ accountId: id })).toBe(0);
  expect(await db.collection('reset_tokens').countDocuments()).toBe(0);
  expect(await db.collection('outgoing_mails').countDocuments()).toBe(0);
  expect(await allFiles(path.join(workshop.folder, 'storage'))).toEqual([]);
  const events = await auditEvents(workshop).find({ accountId: id }).toArray();
  expect(events.map(({ act }) => act).sort()).toEqual(['closing', 'erasure', 'registration']);
  expect(events.filter((event) => event.emailDigest || event.ip || event.userAgent)).toEqual([]);
}

test.each(MOMENTS)(
  'an erasure that is killed at the moment "%s" is completed by the next start',
  async (moment) => {
    // The next start of one moment is the gateway of the next one.
    const before = running ?? start();
    running = undefined;
    const doctor = await closedDoctor(await before.url());
    await stopWithoutWarnings(before);

    const victim = start(dyingAt(moment, 'start'));
    // Ended by the signal, so there is no exit code.
    expect(await victim.exitCode()).toBeNull();

    const after = start();
    const url = await after.url();
    await expectErased(doctor);
    expect(await accountOf(url, doctor.token)).toBeUndefined();
    running = after;
  },
);

test('the completed erasures have left no warning', async () => {
  expect(running).toBeDefined();
  await stopWithoutWarnings(running as GatewayProcess);
});
