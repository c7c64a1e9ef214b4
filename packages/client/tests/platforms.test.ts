import { aPdf } from '../../../tests/support/documents.ts';
import { aDoctor } from '../../../tests/support/people.ts';
import { useTestApp } from '../../../tests/support/test-app.ts';
import { createAuthClient, type DocumentSource, type NativeFile } from '../src/index.ts';
import { setGlobals, withGlobals } from './support/globals.ts';
import { aDoctorWithFiles, dataOf, errorOf, watchedFetch } from './support/results.ts';

const app = useTestApp();
const FILE: NativeFile = { uri: 'file:///cache/1.pdf', name: 'license.pdf', type: 'application/pdf' };
const documents = (source: unknown) => {
  const document = source as DocumentSource;
  return { licenseFile: document, diplomaFile: document, certificationFile: document };
};

describe('in React Native', () => {
  const PlatformForm = FormData;
  /** React Native's FormData: it takes two arguments, and files as objects. */
  class NativeForm {
    readonly parts: [string, string | NativeFile][] = [];
    append(...part: [string, string | NativeFile]) {
      this.parts.push(part);
    }
  }
  /** React Native's URL: it only joins texts. */
  class NativeUrl {
    readonly href: string;
    constructor(url: string) {
      this.href = url.endsWith('/') ? url : `${url}/`;
    }
  }
  /** React Native's fetch: the system reads the files. */
  const nativeFetch = async (url: unknown, init?: RequestInit) => {
    const parts = init?.body instanceof NativeForm ? init.body.parts : [];
    const body = new PlatformForm();
    for (const [name, value] of parts) {
      if (typeof value === 'string') {
        body.append(name, value);
      } else {
        body.append(name, new File([aPdf().bytes], value.name, { type: value.type }));
      }
    }
    // The gateway runs in this process, too, and needs the URL of Node.js.
    restore();
    try {
      return await watchedFetch(String(url), { ...init, body });
    } finally {
      restore = becomeNative();
    }
  };
  const becomeNative = () =>
    setGlobals({ navigator: { product: 'ReactNative' }, FormData: NativeForm, URL: NativeUrl });
  let restore: () => void;
  beforeEach(() => {
    restore = becomeNative();
  });
  afterEach(() => restore());

  test('a doctor registers with files of a picker', async () => {
    const client = createAuthClient({ url: app.url, fetch: nativeFetch as typeof fetch });
    const picked = { ...FILE, size: 42, mimeType: 'application/pdf' };
    const { profile } = dataOf(await client.registerDoctor({ ...aDoctor(), ...documents(picked) }));
    expect(profile.licenseFileUrl).toMatch(/\.pdf$/);
  });

  test('localStorage is refused, because the session would silently end with the app', () => {
    expect(() => createAuthClient({ url: app.url, storage: 'localStorage' })).toThrow(
      'React Native has no localStorage: the option "storage" takes AsyncStorage as it is.',
    );
  });

  test.each([
    { ...FILE, uri: '' },
    { ...FILE, name: undefined },
    { ...FILE, type: 'image' },
    { ...FILE, type: undefined, mimeType: 'application/pdf' },
  ])('a file that lacks something is an error: %j', async (file) => {
    const client = createAuthClient({ url: app.url });
    expect(errorOf(await client.registerDoctor({ ...aDoctor(), ...documents(file) }))).toMatchObject({
      code: 'FILE_NOT_READABLE',
      message:
        'A file of React Native needs uri, name and type, such as "license.pdf" and "application/pdf".',
    });
  });
});

test('a file of React Native is an error on other platforms', async () => {
  const client = createAuthClient({ url: app.url });
  const text = 'A file by its uri can be sent in React Native only; pass a File or a Blob.';
  expect(errorOf(await client.registerDoctor({ ...aDoctorWithFiles(), licenseFile: FILE }))).toEqual({
    code: 'FILE_NOT_READABLE',
    message: text,
    fields: { licenseFile: [text] },
  });
});

test.each([[42], [{}], [[]], [new Uint8Array(3)], [() => {}]])('%p is no document', async (source) => {
  const result = await createAuthClient({ url: app.url }).resubmitDocuments(documents(source));
  expect(errorOf(result)).toMatchObject({
    code: 'FILE_NOT_READABLE',
    message: expect.stringContaining('must be a File, a Blob'),
  });
});

test('a document that JavaScript leaves out is missing, as null is', async () => {
  const { licenseFile: _, ...others } = aDoctorWithFiles();
  const { registerDoctor } = createAuthClient({ url: app.url, fetch: watchedFetch });
  expect(
    errorOf(await (registerDoctor as (fields: object) => ReturnType<typeof registerDoctor>)(others)),
  ).toMatchObject({
    fields: { licenseFile: ['The license file field is required.'] },
  });
});

describe('in a browser, a refusal that looks like CORS names the setting', () => {
  const HINT =
    ' If it runs, it probably does not accept pages of https://app.example.org: add this origin to its setting CORS_ORIGINS.';
  const url = 'https://auth.example.org';
  const fetch = async () => {
    throw new TypeError('Failed to fetch');
  };
  class RefusedRequest {
    upload = {};
    onerror = () => {};
    open() {}
    setRequestHeader() {}
    send() {
      this.onerror();
    }
  }
  const messages = async (origin: string, onLine = true) =>
    withGlobals(
      { location: { href: `${origin}/`, origin }, navigator: { onLine }, XMLHttpRequest: RefusedRequest },
      async () => {
        const client = createAuthClient({ url, fetch });
        const byXhr = client.registerDoctor(aDoctorWithFiles(), { onProgress: () => {} });
        return [errorOf(await client.me()), errorOf(await byXhr)].map(
          ({ code, message }) => `${code} ${message}`,
        );
      },
    );
  const PLAIN = `NETWORK_ERROR The gateway at ${url} cannot be reached, or the connection broke.`;

  test('for the page of another origin, by fetch and by XMLHttpRequest', async () => {
    expect(await messages('https://app.example.org')).toEqual([PLAIN + HINT, PLAIN + HINT]);
  });

  test('but not for a page of the same origin, and not while the browser is offline', async () => {
    expect(await messages(url)).toEqual([PLAIN, PLAIN]);
    expect(await messages('https://app.example.org', false)).toEqual([PLAIN, PLAIN]);
  });
});
