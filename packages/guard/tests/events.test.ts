import { eventually } from '../../../tests/support/eventually.ts';
import { authenticated, registeredDoctor, succeeded } from '../../../tests/support/expectations.ts';
import { BILLING, FEED, RECORDS, readAll, readFeed } from '../../../tests/support/feed.ts';
import { graphqlApi } from '../../../tests/support/graphql-api.ts';
import { aDoctor, aPatient } from '../../../tests/support/people.ts';
import { restApi } from '../../../tests/support/rest-api.ts';
import { decide, newReviewer } from '../../../tests/support/reviews.ts';
import { REAL_TIME, useTestApp } from '../../../tests/support/test-app.ts';
import { createGuard, type Guard, type GuardError } from '../src/index.ts';
import { ACTIVE, FakeGateway, TOKEN } from './support/fake-gateway.ts';

describe('beside a whole gateway', () => {
  const app = useTestApp(FEED, undefined, ...REAL_TIME);
  let questions = 0;
  let start: string;
  beforeEach(async () => {
    start = (await readFeed(app.url, {})).next;
  });
  /** A guard that follows, and has an answer that it may keep: the registrations of these accounts are published. */
  async function following(token: string, accounts: string[]): Promise<Guard> {
    await eventually(async () => {
      const { events } = await readAll(app.url, start);
      expect(events.map(({ account }) => account?.id)).toEqual(expect.arrayContaining(accounts));
    });
    const { id: client, secret } = RECORDS;
    const guard = createGuard({ url: app.url, client, secret, events: true });
    await eventually(async () => {
      await guard.check(token);
      const before = introspections();
      await guard.check(token);
      expect(introspections()).toBe(before);
    });
    await settled();
    questions = introspections();
    return guard;
  }
  /** The log has the line of a request only after its answer. */
  const settled = async () => {
    for (let before = -1; before !== introspections(); ) {
      before = introspections();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const introspections = () => app.log.filter((line) => line.includes('"operation":"introspect"')).length;

  test('an answer is used again, until a logout elsewhere: within a second', async () => {
    const { account, token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
    const guard = await following(token, [account.id]);
    for (let count = 0; count < 20; count += 1) {
      expect(await guard.check(token)).toBeDefined();
    }
    await settled();
    expect(introspections()).toBe(questions);
    succeeded(await restApi(app.url).logout(`Bearer ${token}`));
    const began = performance.now();
    while ((await guard.check(token)) !== undefined) {
      expect(performance.now() - began).toBeLessThan(20_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(introspections()).toBeGreaterThan(questions);
  });

  test('a suspension is seen, and the answers about others stay', async () => {
    const reviewer = await newReviewer(app);
    const doctor = registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
    const other = authenticated(await restApi(app.url).registerPatient(aPatient()));
    const guard = await following(doctor.token, [doctor.account.id, other.account.id]);
    await guard.check(other.token);
    const { id } = doctor.account;
    await decide(app, reviewer.token, { id, revision: 0, decision: 'APPROVE' });
    await eventually(async () => expect((await guard.check(doctor.token))?.verification).toBe('verified'));
    await settled();
    questions = introspections();
    await guard.check(other.token);
    await settled();
    expect(introspections()).toBe(questions);
  });

  test('a guard that may not read the events reports it once, and asks for each request', async () => {
    const errors: GuardError[] = [];
    const { id: client, secret } = BILLING;
    const guard = createGuard({
      url: app.url,
      client,
      secret,
      events: true,
      onError: (error) => errors.push(error),
    });
    const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
    for (let count = 0; count < 3; count += 1) {
      const before = introspections();
      expect(await guard.check(token)).toBeDefined();
      await eventually(() => expect(introspections()).toBe(before + 1));
    }
    await eventually(() => expect(errors.map(({ code }) => code)).toEqual(['NO_EVENTS']));
  });
});

describe('beside a gateway of which a test decides the answers', () => {
  const gateway = new FakeGateway().use();
  const clock = { millis: 0, now: () => ACTIVE.iat * 1000 + clock.millis, elapsed: () => clock.millis };
  let feed: (query: URLSearchParams) => unknown;
  let asked = 0;
  let feeds = 0;
  /** What the guard of this test has reported: those of earlier tests follow a gateway that is gone. */
  let errors: GuardError[] = [];
  const newGuard = () => {
    const own: GuardError[] = [];
    errors = own;
    return gateway.guard({ events: true, onError: (error) => own.push(error) }, clock);
  };
  beforeEach(() => {
    clock.millis = 1_000;
    asked = 0;
    feed = () => ({ events: [], next: 'next' });
    gateway.answer = (request, response) => {
      const url = new URL(request.url ?? '', 'http://gateway');
      if (url.pathname !== '/events') {
        asked += 1;
        return FakeGateway.says(ACTIVE)(request, response);
      }
      const answer = feed(url.searchParams);
      feeds += 1;
      // As the gateway: an answer without events comes late.
      const later = url.searchParams.has('after') && Array.isArray(Object(answer).events) ? 20 : 0;
      setTimeout(() => {
        const status = typeof answer === 'number' ? answer : 200;
        FakeGateway.says(answer, status)(request, response);
      }, later);
    };
  });

  /** A guard whose answers are kept. */
  async function following() {
    const guard = newGuard();
    await eventually(async () => {
      await guard.check(TOKEN);
      const before = asked;
      clock.millis += 1;
      await guard.check(TOKEN);
      expect(asked).toBe(before);
    });
    asked = 0;
    return guard;
  }

  test('after a minute the guard asks again', async () => {
    const guard = await following();
    const pass = async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 4) {
        clock.millis += Math.min(left, 4) * 1_000;
        const before = feeds;
        await eventually(() => expect(feeds).toBeGreaterThan(before + 1));
      }
    };
    await pass(59);
    await guard.check(TOKEN);
    expect(asked).toBe(0);
    await pass(2);
    await guard.check(TOKEN);
    expect(asked).toBe(1);
  });

  test('without an answer of the feed for 5 s, each request asks', async () => {
    const guard = await following();
    feed = () => 503;
    await eventually(() => expect(errors.length).toBeGreaterThan(0));
    clock.millis += 5_001;
    await guard.check(TOKEN);
    await guard.check(TOKEN);
    expect(asked).toBe(2);
  });

  test('an answer that was asked for before an event is not kept', async () => {
    const guard = await following();
    const { answer } = gateway;
    let respond = () => {};
    gateway.answer = (request, response) => {
      if (request.url?.startsWith('/events')) {
        return answer(request, response);
      }
      respond = () => FakeGateway.says(ACTIVE)(request, response);
    };
    clock.millis += 60_001;
    const checking = guard.check(TOKEN);
    await eventually(() => expect(respond.toString()).toContain('FakeGateway'));
    let isSent = false;
    feed = () => {
      isSent = true;
      return { events: [{ account: { id: ACTIVE.sub } }], next: 'other' };
    };
    await eventually(() => expect(isSent).toBe(true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    feed = () => ({ events: [], next: 'other' });
    respond();
    expect(await checking).toBeDefined();
    gateway.answer = answer;
    asked = 0;
    await guard.check(TOKEN);
    expect(asked).toBe(1);
  });

  test('an event about all accounts drops all answers, and so does a cursor that is gone', async () => {
    for (const answer of [{ events: [{ account: null }], next: 'other' }, 410]) {
      const guard = await following();
      let isSent = false;
      feed = (query) => {
        isSent ||= query.has('after');
        return isSent && query.has('after') ? answer : { events: [], next: 'next' };
      };
      await eventually(() => expect(isSent).toBe(true));
      await eventually(async () => {
        asked = 0;
        await guard.check(TOKEN);
        expect(asked).toBe(1);
      });
      feed = () => ({ events: [], next: 'next' });
    }
  });

  test('what is no feed is reported once', async () => {
    feed = () => 'a page of a proxy';
    const guard = newGuard();
    await guard.check(TOKEN);
    await guard.check(TOKEN);
    expect(asked).toBe(2);
    await eventually(() => expect(errors.map(({ code }) => code)).toEqual(['INVALID_RESPONSE']));
  });
});
