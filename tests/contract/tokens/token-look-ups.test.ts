import { authenticated, succeeded } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { sanctumSecret } from '../../support/legacy.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp({ METRICS: 'on', METRICS_PORT: '0' });
const PEOPLE = 20;

/** How often the database was asked for tokens and their accounts. */
async function lookUps(): Promise<number> {
  const { text } = await send(`${app.metricsUrl}/metrics`);
  const counts = text.matchAll(
    /^auth_gateway_database_command_duration_seconds_count\{command="aggregate".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('simultaneous requests share look-ups, and each gets its own account or none', async () => {
  const members = await Promise.all(
    Array.from({ length: PEOPLE }, async () =>
      authenticated(await restApi(app.url).registerPatient(aPatient())),
    ),
  );
  const [first, second] = members;
  succeeded(await restApi(app.url).logout(`Bearer ${second?.token}`));
  const before = await lookUps();
  // The first one's token twice, and once with the secret of another.
  const mixed = `${first?.token.split('|')[0]}|${members[2]?.token.split('|')[1]}`;
  const tokens = [...members.map(({ token }) => token), first?.token ?? '', mixed];
  const found = await Promise.all(tokens.map((token) => accountOf(app.url, token)));
  expect(found.map((account) => account?.id)).toEqual([
    first?.account.id,
    undefined,
    ...members.slice(2).map(({ account }) => account.id),
    first?.account.id,
    undefined,
  ]);
  expect((await lookUps()) - before).toBeLessThan(tokens.length);
});

test('a text that no token can be costs no look-up', async () => {
  const [forty, secret] = ['a'.repeat(40), sanctumSecret()];
  const broken = `${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`;
  const texts = ['x', 'null', forty.slice(1), `${forty}a`, `${forty.slice(1)}-`, `${forty}${forty}a`, broken];
  const before = await lookUps();
  for (const text of [...texts, ...texts.map((each) => `42|${each}`), `|${secret}`, `4.2|${secret}`]) {
    expect(await accountOf(app.url, text)).toBeUndefined();
  }
  expect(await lookUps()).toBe(before);
  expect(await accountOf(app.url, secret)).toBeUndefined();
  expect(await lookUps()).toBe(before + 1);
});
