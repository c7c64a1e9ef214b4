import { authenticated } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf, bearer, tokenIdOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

// More than two batches of a removal.
const MANY = 1_100;
const app = useTestApp({ METRICS: 'on', METRICS_PORT: '0' });

/** How often the database was asked for lists of tokens. */
async function loads(): Promise<number> {
  const { text } = await send(`${app.metricsUrl}/metrics`);
  const label = 'command="find",collection="access_tokens",outcome="success"';
  const [, count] =
    new RegExp(`^\\S+_command_duration_seconds_count\\{${label}\\} (\\d+)$`, 'm').exec(text) ?? [];
  return Number(count ?? 0);
}

/** An account with one session, and many tokens of other ones: older, newer and imported ones without a time of issue. */
async function withManyTokens() {
  const patient = aPatient();
  const { account, token } = authenticated(await graphqlApi(app.url).registerPatient(patient));
  const timeOf = (index: number) =>
    index % 3 === 0 ? null : new Date(index % 3 === 1 ? index : 4e12 + index);
  const tokens = Array.from({ length: MANY }, (_, index) => ({
    _id: `${account.id} ${index}`,
    accountId: account.id,
    name: 'auth-token',
    secretHash: `${index}`,
    abilities: null,
    createdAt: timeOf(index),
    lastUsedAt: null,
    expiresAt: null,
    idleExpiresAt: null,
  }));
  await app.database.tokens.insertMany(tokens as Parameters<typeof app.database.tokens.insertMany>[0]);
  return { ...patient, id: account.id, token };
}

const left = (accountId: string) => app.database.tokens.distinct('_id', { accountId });
const events = () => auditEvents(app);

test('a request loads the list once, however many aliases ask for it', async () => {
  const { token } = await withManyTokens();
  const before = await loads();
  const query = `{${Array.from({ length: 10 }, (_, index) => `a${index}: myTokens { id }`).join(' ')}}`;
  const answer = await sendJson(`${app.url}/graphql`, { query }, bearer(token));
  const lists = Object.values(jsonOf<{ data: Record<string, unknown[]> }>(answer).data);
  expect(lists).toHaveLength(10);
  expect(lists.every((list) => list.length === 100)).toBe(true);
  expect((await loads()) - before).toBe(1);
});

test('all other tokens are revoked, however many, and the presented one stays', async () => {
  const { id, token } = await withManyTokens();
  const query = 'mutation { revokeOtherTokens }';
  const answer = await sendJson(`${app.url}/graphql`, { query }, bearer(token));
  expect(jsonOf(answer)).toEqual({ data: { revokeOtherTokens: MANY } });
  expect(await left(id)).toEqual([tokenIdOf(token)]);
  expect(await events().findOne({ accountId: id, act: 'revocation' })).toMatchObject({
    outcome: 'success',
    revoked: MANY,
  });
});

test('a new password revokes all tokens, however many', async () => {
  const { id, email, password } = await withManyTokens();
  const { token } = authenticated(await restApi(app.url).login({ email, password }));
  const input = {
    currentPassword: password,
    newPassword: 'another long passphrase',
    revokeOtherTokens: true,
  };
  const query = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { revokedTokens } }';
  await sendJson(`${app.url}/graphql`, { query, variables: { input } }, bearer(token));
  expect(await left(id)).toEqual([tokenIdOf(token)]);
  expect(await accountOf(app.url, token)).toMatchObject({ id });
});
