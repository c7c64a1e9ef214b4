import { jsonOf, send, sendJson } from '../support/http.ts';
import { aDoctor, freshEmail } from '../support/people.ts';
import { sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { useTestApp } from '../support/test-app.ts';
import { answered, leavesNothing } from './support/harmless.ts';
import { registeredCredentials } from './support/somebody.ts';

const app = useTestApp();
const API = '/api/v1/auth';
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A JSON body to a path that is left as it is written. */
const post = (path: string, body: unknown, headers: Record<string, string | string[]> = JSON_TYPE) =>
  sendRaw(app.url, { method: 'POST', path, headers }, JSON.stringify(body));

describe('a method', () => {
  const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];

  test.each(OVERRIDES)('%s does not override the method of a request', async (header) => {
    const credentials = await registeredCredentials(app.url);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const headers = { ...JSON_TYPE, [header]: 'POST' };
      const options = { method, path: `${API}/login`, headers };
      await leavesNothing(app, async () =>
        expect((await answered(() => sendRaw(app.url, options, JSON.stringify(credentials)))).status).toBe(
          405,
        ),
      );
      const overridden = { ...JSON_TYPE, [header]: method };
      expect((await answered(() => post(`${API}/login`, credentials, overridden))).status).toBe(200);
    }
  });

  test('_method in the query, the body or a form does not override the method of a request', async () => {
    const credentials = await registeredCredentials(app.url);
    for (const method of ['PUT', 'DELETE']) {
      expect((await post(`${API}/login?_method=${method}`, credentials)).status).toBe(200);
      expect((await post(`${API}/login`, { ...credentials, _method: method })).status).toBe(200);
      const { form, ...request } = restApi(app.url).doctorRequest(aDoctor({ _method: method }));
      expect((await send(`${app.url}${request.path}`, { method: 'POST', body: form })).status).toBe(201);
    }
    expect((await send(`${app.url}${API}/login?_method=POST`)).status).toBe(405);
  });
});

describe('a parameter', () => {
  test.each(['login', 'register/patient', 'register/doctor'])(
    'a parameter in the query string replaces no field of a body to %s',
    async (path) => {
      const { email, password } = await registeredCredentials(app.url);
      const query = new URLSearchParams({
        name: 'x',
        email,
        password,
        'email[$gt]': '',
        'user[email]': email,
      });
      await leavesNothing(app, async () => {
        const response = await answered(() => sendJson(`${app.url}${API}/${path}?${query}`, {}));
        expect(response.status).toBe(422);
        expect(jsonOf(response)).toMatchObject({ errors: { email: ['The email field is required.'] } });
      });
    },
  );

  test('a parameter in the query string does not override the body', async () => {
    const { email, password } = await registeredCredentials(app.url);
    const response = await post(`${API}/login?email=x@example.org&email[]=y&password=z`, { email, password });
    expect(jsonOf(response)).toMatchObject({ data: { email } });
  });

  test('the last of two equal keys in a JSON body counts for every reader', async () => {
    const { email, password } = await registeredCredentials(app.url);
    const twice = (one: string, other: string) =>
      `{"email":${JSON.stringify(one)},"password":${JSON.stringify(password)},"email":${JSON.stringify(other)}}`;
    expect((await sendJson(`${app.url}${API}/login`, twice(freshEmail(), email))).status).toBe(200);
    expect((await sendJson(`${app.url}${API}/login`, twice(email, freshEmail()))).status).toBe(401);
  });
});

describe('a content type', () => {
  test.each([
    ['multipart', (form: FormData) => form],
    ['url-encoded', (form: FormData) => new URLSearchParams([...form] as [string, string][])],
  ])('a %s form is a login for the REST API, and nothing for the GraphQL API', async (_kind, bodyOf) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(await registeredCredentials(app.url))) {
      form.append(name, value);
    }
    const init = { method: 'POST', body: bodyOf(form) };
    expect((await answered(() => send(`${app.url}${API}/login`, init))).status).toBe(200);
    form.append('query', 'mutation { logout { message } }');
    expect((await answered(() => send(`${app.url}/graphql`, { ...init, body: bodyOf(form) }))).status).toBe(
      400,
    );
  });

  test('the first of two Content-Type headers counts', async () => {
    const credentials = await registeredCredentials(app.url);
    const twice = (...types: string[]) => post(`${API}/login`, credentials, { 'Content-Type': types });
    expect((await answered(() => twice('application/json', 'text/plain'))).status).toBe(200);
    expect((await answered(() => twice('text/plain', 'application/json'))).status).toBe(415);
  });
});
