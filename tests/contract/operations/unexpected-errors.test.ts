import path from 'node:path';
import { MeDocument } from '../../../packages/client/src/generated/graphql.ts';
import { withoutPermission } from '../../documents/support/faults.ts';
import { throughEachApi } from '../../support/apis.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { execute, graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

throughEachApi((apiOf) => {
  // A real fault that nobody foresees: an index that a second token of the same name breaks.
  beforeAll(async () => {
    await app.database.tokens.deleteMany({});
    authenticated(await apiOf(app.url).registerPatient(aPatient()));
    await app.database.tokens.createIndex({ name: 1 }, { unique: true });
  });
  afterAll(() => app.database.tokens.dropIndex('name_1'));

  test('an unexpected error has a fixed text and a request id but not its cause', async () => {
    const { message, errors, http } = refused(await apiOf(app.url).registerPatient(aPatient()), 'unexpected');
    expect(message).toBe('Server Error');
    expect(errors).toEqual({});
    expect(http.headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/);
    expect(http.text).not.toMatch(/E11000|duplicate|access_tokens|name_1|node_modules|\.ts|\.js| at /i);
  });
});

test('the error of an unreadable document does not contain its path', async () => {
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const folder = path.join(app.storageDir, 'licenses');
  const http = await withoutPermission(folder, () => send(profile.licenseFileUrl), 0o000);
  expect([http.status, jsonOf(http)]).toEqual([500, { message: 'Server Error' }]);
  expect(http.headers.get('cache-control')).toBe('no-store');
  expect(http.text + JSON.stringify([...http.headers])).not.toMatch(/EACCES|EPERM|auth-gateway|licenses/i);
  expect((await send(profile.licenseFileUrl)).status).toBe(200);
});

test('a doctor whose profile is gone logs in and has a null profile', async () => {
  const { account, token } = authenticated(await graphqlApi(app.url).registerDoctor(aDoctor()));
  await app.database.profiles.deleteOne({ _id: account.id });
  const { body } = await execute(app.url, MeDocument, {}, bearer(token));
  expect(body.data?.me).toMatchObject({ id: account.id, profile: null });
});
