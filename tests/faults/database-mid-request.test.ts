import { accountWith, letTwoHoursPass, sweep } from '../documents/support/aftermath.ts';
import { isOfRequest } from '../support/database-messages.ts';
import { type Fault, type Moment, useProxiedApp } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, registeredDoctor } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { type HttpResponse, send } from '../support/http.ts';
import {
  aMember,
  COUNTING,
  expectUnavailable,
  type Member,
  PROMISED_MILLIS,
  recoveryMillis,
  timed,
} from '../support/outages.ts';
import { aDoctor } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { withRetries } from '../support/retries.ts';
import { accountOf } from '../support/session.ts';
import { expectQuarantineEmpty, inventoryOf, REAL_TIME, storedDocuments } from '../support/test-app.ts';

const LOSSES = {
  unasked: ['before', 'swallow'],
  unanswered: ['after', 'swallow'],
  'half answered': ['after', 'cut reply'],
} satisfies Record<string, [Moment['when'], Fault]>;

describe.each<keyof typeof LOSSES>(['unasked', 'unanswered', 'half answered'])(
  'a database lost in a request, %s',
  (loss) => {
    const behind = useProxiedApp(COUNTING, ...REAL_TIME);
    let observer: Member;
    beforeAll(async () => {
      observer = await aMember(behind.app.url);
    });

    /**
     * Loses the database in the middle of a call, checks that the call gets its answer in time, and brings the database back.
     * @param operations how many are done before
     */
    async function expectLost(operations: number, call: () => Promise<HttpResponse>) {
      await withRetries(async () => {
        const [when, fault] = LOSSES[loss];
        void behind.proxy.breakAt({ command: isOfRequest, when, skip: operations }, fault);
        const { answer, millis } = await timed(call);
        expectUnavailable(answer);
        await behind.proxy.restore();
        await recoveryMillis(behind.app.url, observer);
        expect(millis).toBeLessThan(PROMISED_MILLIS);
      });
    }

    const anyApi = (index: number) => (index % 2 === 0 ? restApi : graphqlApi)(behind.app.url);

    /** Reading the counts, writing those of the address and its /24, whether the e-mail is taken, the profile, the token. */
    const BEFORE_THE_ACCOUNT = [0, 1, 2, 3, 4, 5];

    test.each(BEFORE_THE_ACCOUNT)(
      'a database lost after %i operations of a registration leaves nothing visible',
      async (operations) => {
        const before = await inventoryOf(behind.app);
        const doctor = aDoctor();
        await expectLost(operations, async () => (await anyApi(operations).registerDoctor(doctor)).http);
        await expectQuarantineEmpty(behind.app.storageDir);
        await eventually(async () => expect(await storedDocuments(behind.app)).toEqual(before.documents));
        expect(await accountWith(behind.app.database, doctor.email)).toBeNull();
        // What may be left of it is in nobody's way.
        registeredDoctor(await anyApi(operations).registerDoctor(doctor));
      },
    );

    test('a database lost at the last operation of a registration leaves all of it or nothing visible', async () => {
      const doctor = aDoctor();
      const { url } = behind.app;
      await expectLost(BEFORE_THE_ACCOUNT.length, async () => {
        doctor.email = aDoctor().email;
        return (await graphqlApi(url).registerDoctor(doctor)).http;
      });
      await expectQuarantineEmpty(behind.app.storageDir);
      if (loss === 'unasked') {
        registeredDoctor(await graphqlApi(url).registerDoctor(doctor));
      }
      const { token } = authenticated(await restApi(url).login(doctor));
      const profile = (await accountOf(url, token))?.profile;
      expect((await send(profile?.licenseFileUrl ?? '')).bytes).toEqual(doctor.licenseFile.bytes);
      expect((await send(profile?.diplomaFileUrl ?? '')).bytes).toEqual(doctor.diplomaFile.bytes);
      expect((await send(profile?.certificationUrl ?? '')).bytes).toEqual(doctor.certificationFile.bytes);
    });

    test('the sweep removes only what interrupted registrations have left', async () => {
      await letTwoHoursPass(behind.app);
      await sweep(behind.app);
      const { documents, accounts, profiles } = await inventoryOf(behind.app);
      expect(profiles).toBe(accounts - 1);
      expect(documents).toHaveLength(3 * profiles);
    });

    // The registrations have shown that the ways of losing it make no difference.
    if (loss !== 'unanswered') {
      return;
    }

    /**
     * Whether the place is known, reading the count, writing it, the account, reading and writing the count of right logins,
     * forgetting the first count, the token.
     */
    test.each([0, 1, 2, 3, 4, 5, 6, 7])(
      'a login gets 503 within 2 s when the database is lost after %i operations',
      (operations) =>
        expectLost(operations, async () => (await anyApi(operations).login(observer.patient)).http),
    );

    test('a logout gets 503 within 2 s when the database is lost at its last operation', async () => {
      const { token } = await aMember(behind.app.url);
      await expectLost(1, async () => (await restApi(behind.app.url).logout(`Bearer ${token}`)).http);
    });
  },
);
