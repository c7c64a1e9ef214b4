import { stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { DOCUMENT_GROUPS, type DocumentStore } from '../../src/documents/document-store.ts';
import { createLog } from '../../src/system/log.ts';
import { aPdf } from '../support/documents.ts';
import { refused, registeredDoctor } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { expectQuarantineEmpty, useTestApp } from '../support/test-app.ts';
import { allFiles, configOn, letTwoHoursPass, settingsOf } from './support/aftermath.ts';
import { oneFileParts, sendParts } from './support/parts.ts';
import { LOCAL, s3Store, useStorageWith } from './support/stores.ts';

// Whatever keeps the documents, the service around it is the same. A real S3 server on loopback, started here.
describe.each([LOCAL, s3Store('an S3 server')])('with documents on $name', (kind) => {
  const running = useStorageWith(kind);

  async function listed(store: DocumentStore): Promise<string[]> {
    const paths: string[] = [];
    for (const group of DOCUMENT_GROUPS) {
      for await (const { path: one } of store.list(group)) {
        paths.push(one);
      }
    }
    return paths.sort();
  }

  test('a registration stores three documents, which are listed and come back unchanged', async () => {
    const { url, storageDir } = running.app;
    const before = await listed(running.storage.documents);
    const doctor = aDoctor();
    const { profile } = registeredDoctor(await restApi(url).registerDoctor(doctor));
    expect(profile.licenseFileUrl.startsWith(`${url}/storage/licenses/`)).toBe(true);
    expect((await send(profile.licenseFileUrl)).bytes.equals(doctor.licenseFile.bytes)).toBe(true);
    expect((await send(profile.diplomaFileUrl)).bytes.equals(doctor.diplomaFile.bytes)).toBe(true);
    expect(await listed(running.storage.documents)).toHaveLength(before.length + 3);
    await expectQuarantineEmpty(storageDir);
  });

  test.each([
    ['several places in the map', undefined],
    ['several uses of its variable', ['variables.file']],
  ])('a file with %s is stored for each', async (_what, paths) => {
    const { url, storageDir } = running.app;
    const before = await listed(running.storage.documents);
    const { bytes } = aPdf();
    const api = graphqlApi(url);
    const answer = await sendParts(url, api, oneFileParts(bytes, paths)());
    const { profile } = registeredDoctor(api.doctorOutcome(answer));
    const { licenseFileUrl, diplomaFileUrl, certificationUrl } = profile;
    for (const each of [licenseFileUrl, diplomaFileUrl, certificationUrl]) {
      expect((await send(each)).bytes.equals(bytes)).toBe(true);
    }
    expect(await listed(running.storage.documents)).toHaveLength(before.length + 3);
    await expectQuarantineEmpty(storageDir);
    const files = (await allFiles(storageDir)).map((file) => stat(path.join(storageDir, file)));
    // A hard link would share the time by which the sweep decides.
    expect((await Promise.all(files)).filter(({ nlink }) => nlink > 1)).toEqual([]);
  });

  test('the sweep removes only old documents that no account owns', async () => {
    const { url, database } = running.app;
    const owned = registeredDoctor(await restApi(url).registerDoctor(aDoctor()));
    const orphaned = registeredDoctor(await restApi(url).registerDoctor(aDoctor()));
    await database.accounts.deleteOne({ _id: orphaned.account.id });
    expect(await running.storage.sweep.run()).toEqual({ removed: [], restored: [] });

    await letTwoHoursPass(running.app);
    const past = new Date(Date.now() - 7_200_000);
    const folder = kind.folder();
    for (const file of folder ? await allFiles(folder) : []) {
      await utimes(path.join(folder ?? '', file), past, past);
    }
    const documents = (await running.storage.sweep.run()).removed.filter(({ kind }) => kind === 'document');
    expect(documents).toHaveLength(3);
    expect((await send(orphaned.profile.diplomaFileUrl)).status).toBe(404);
    expect((await send(owned.profile.diplomaFileUrl)).status).toBe(200);
  });
});

test('a redirect to the S3 server is valid for a minute and never cached', async () => {
  const store = s3Store('redirecting', { S3_DELIVERY: 'redirect' });
  const settings = await store.start();
  const app = createApp(configOn(other, settings), createLog('silent'));
  const { baseUrl: url } = await app.start();
  const { profile } = registeredDoctor(await restApi(url).registerDoctor(aDoctor({ licenseFile: aPdf() })));
  // Not recorded: the signature in the address looks like the hash of a token.
  const http = await fetch(profile.licenseFileUrl, { redirect: 'manual' });
  await http.body?.cancel();
  expect([http.status, http.headers.get('cache-control')]).toEqual([302, 'private, no-store']);
  const target = new URL(http.headers.get('location') ?? '');
  expect([target.origin, target.searchParams.get('X-Amz-Expires')]).toEqual([settings.S3_ENDPOINT, '60']);
  // The policy of the console permits no other server.
  const streamed = await send(`${profile.licenseFileUrl}?delivery=stream`);
  expect([streamed.status, streamed.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  await app.stop();
  await store.stop();
});

const other = useTestApp();

test('the gateway answers 503 without the S3 server, leaves nothing behind and does not start', async () => {
  const store = s3Store('going away');
  const settings = { ...settingsOf(other), ...(await store.start()) };
  const app = createApp(readConfig(settings), createLog('silent'));
  const { baseUrl: url } = await app.start();
  await store.stop();
  const before = await other.database.count();
  refused(await restApi(url).registerDoctor(aDoctor()), 'unavailable');
  expect(await other.database.count()).toEqual(before);
  await expectQuarantineEmpty(other.storageDir);
  const http = await sendRaw(url, { path: `/storage/licenses/${'n'.repeat(40)}.pdf` });
  expect(http.status).toBe(503);
  await app.stop();
  await expect(createApp(readConfig(settings), createLog('silent')).start()).rejects.toThrow();
});
