import { LOCAL, type StoreKind, s3Store } from '../documents/support/stores.ts';
import { authenticated, registeredDoctor, type WholeProfile, wholeProfile } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { useInstances } from './support/instances.ts';

const SIGNED: StoreKind = {
  ...LOCAL,
  name: 'the local disk, by signed URLs',
  start: async () => ({ DOCUMENT_ACCESS: 'signed', DOCUMENT_URL_SECRET: 'of all instances '.repeat(2) }),
};

const urlsOf = ({ licenseFileUrl, diplomaFileUrl, certificationUrl }: WholeProfile) => [
  licenseFileUrl,
  diplomaFileUrl,
  certificationUrl,
];

describe.each([LOCAL, SIGNED, s3Store('an S3 server')])('with documents on $name', (kind) => {
  const instances = useInstances(async () => ({ RATE_LIMIT: 'off', ...(await kind.start()) }));
  afterAll(() => kind.stop());

  /** A doctor of one instance with three documents, and where each of those is at the other. */
  async function registered(apiOf: typeof restApi) {
    const { a, b } = instances;
    const doctor = aDoctor();
    const { profile } = registeredDoctor(await apiOf(a).registerDoctor(doctor));
    const contents = [doctor.licenseFile, doctor.diplomaFile, doctor.certificationFile];
    const documents = urlsOf(profile).map((url, index) => ({
      url,
      elsewhere: url.replace(a, b),
      bytes: contents[index]?.bytes,
    }));
    return { doctor, documents };
  }

  test('one instance serves the documents that the other has just stored', async () => {
    for (const { url, elsewhere, bytes } of (await registered(restApi)).documents) {
      expect(elsewhere).not.toBe(url);
      for (const address of [elsewhere, url]) {
        expect((await send(address)).bytes).toEqual(bytes);
      }
    }
  });

  test('a reader can continue at the other instance', async () => {
    const [document] = (await registered(graphqlApi)).documents;
    const { url = '', elsewhere = '', bytes } = document ?? {};
    const beginning = await send(url, { headers: { Range: 'bytes=0-9' } });
    const rest = await send(elsewhere, { headers: { Range: 'bytes=10-' } });
    expect([beginning.status, rest.status]).toEqual([206, 206]);
    expect(Buffer.concat([beginning.bytes, rest.bytes])).toEqual(bytes);
    // Not by fetch, which would add that no cache is to answer.
    const { pathname, search } = new URL(elsewhere);
    const headers = { 'If-None-Match': beginning.headers.get('etag') ?? '' };
    expect((await sendRaw(instances.b, { path: pathname + search, headers })).status).toBe(304);
  });

  test('a profile has the document URLs of the instance that answers', async () => {
    const { b } = instances;
    const { doctor, documents } = await registered(restApi);
    const { token } = authenticated(await graphqlApi(b).login(doctor));
    const urls = urlsOf(wholeProfile((await accountOf(b, token))?.profile));
    const paths = (addresses: string[]) => addresses.map((address) => new URL(address).pathname);
    expect(paths(urls)).toEqual(paths(documents.map(({ url }) => url)));
    for (const [index, url] of urls.entries()) {
      expect(url.startsWith(`${b}/storage/`)).toBe(true);
      expect((await send(url)).bytes).toEqual(documents[index]?.bytes);
    }
  });
});
