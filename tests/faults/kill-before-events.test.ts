import { eventually } from '../support/eventually.ts';
import { type Authenticated, authenticated, type RegisteredDoctor } from '../support/expectations.ts';
import { FEED, type FeedAnswer, readAll, readFeed } from '../support/feed.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { aPatient } from '../support/people.ts';
import { deleteAccount } from '../support/privacy.ts';
import { restApi } from '../support/rest-api.ts';
import { newDoctor, newReviewer, sendDecision } from '../support/reviews.ts';
import { dyingAt } from './support/killed-at.ts';

const workshop = useWorkshop();

interface Scene {
  url: string;
  patient: Authenticated;
  password: string;
  doctor: RegisteredDoctor;
  reviewer: Authenticated;
}

/** Changes that nobody would repeat. The first update of its collection is the change. */
const ACTS = {
  closing: {
    collection: 'accounts',
    type: 'account.closed',
    who: ({ patient }) => patient.account.id,
    act: ({ url, patient, password }) => deleteAccount(url, patient.token, password),
    state: { state: 'closed' },
  },
  review: {
    collection: 'doctor_profiles',
    type: 'doctor.verified',
    who: ({ doctor }) => doctor.account.id,
    act: ({ url, doctor, reviewer }) =>
      sendDecision({ url }, reviewer.token, { id: doctor.account.id, revision: 0, decision: 'APPROVE' }),
    state: { verification: 'verified' },
  },
} satisfies Record<
  string,
  {
    collection: string;
    type: string;
    who(scene: Scene): string;
    act(scene: Scene): Promise<unknown>;
    state: object;
  }
>;

async function begin(url: string): Promise<Scene> {
  const app = { url, database: workshop.database };
  const person = aPatient();
  const patient = authenticated(await restApi(url).registerPatient(person));
  return {
    url,
    patient,
    password: person.password,
    doctor: await newDoctor(app),
    reviewer: await newReviewer(app),
  };
}

/** Notes of the last minute are left alone: their gateway may be about to store the event. */
async function letAMinutePass(): Promise<void> {
  const ago = { $set: { 'eventNotes.$[].at': new Date(Date.now() - 120_000) } };
  for (const name of ['accounts', 'doctor_profiles']) {
    await workshop.database.db.collection(name).updateMany({ eventNotes: { $exists: true, $ne: [] } }, ago);
  }
}

describe.each(Object.keys(ACTS) as (keyof typeof ACTS)[])(
  'a gateway that dies in the midst of a %s',
  (name) => {
    const { collection, type, who, act, state } = ACTS[name];

    test.each([
      [`answered update ${collection} 1`, 'between the change and its event'],
      ['sent insert audit_events 1', 'while it stores the event'],
      ['answered insert audit_events 1', 'before the row'],
      ['answered insert events 1', 'between the row and the mark'],
      ['answered update audit_events 1', 'after the mark'],
    ])('%s: its event is published once', async (moment) => {
      const victim = workshop.start({ ...FEED, ...dyingAt(moment) });
      const scene = await begin(await victim.url());
      const id = who(scene);
      const unpublished = { unpublished: { $exists: true } };
      await eventually(async () =>
        expect(await workshop.database.db.collection('audit_events').countDocuments(unpublished)).toBe(0),
      );
      const { next: after } = await readFeed(scene.url, {});
      victim.signal('SIGUSR2');
      // It may die after the answer.
      await act(scene).catch(() => {});
      await victim.exitCode();

      await letAMinutePass();
      const gateway = workshop.start(FEED);
      const url = await gateway.url();
      let answer: FeedAnswer = { events: [], next: after };
      await eventually(async () => {
        answer = await readAll(url, after);
        expect(answer.events.length).toBeGreaterThan(0);
      });
      expect(answer.events).toMatchObject([{ type, account: { id, ...state } }]);
      // Nothing is left, and nothing comes again.
      for (const kind of ['accounts', 'doctor_profiles']) {
        const noted = { 'eventNotes.0': { $exists: true } };
        await eventually(async () =>
          expect(await workshop.database.db.collection(kind).countDocuments(noted)).toBe(0),
        );
      }
      const events = workshop.database.db.collection('audit_events');
      await eventually(async () => expect(await events.countDocuments(unpublished)).toBe(0));
      expect((await readAll(url, after)).events).toHaveLength(1);
      await gateway.stop();
    });
  },
);
