import { rm } from 'node:fs/promises';
import path from 'node:path';
import { throughEachApi } from '../support/apis.ts';
import { refused } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { comparable, type HttpResponse, send, sendJson } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';

// Express and Apollo show stacks in development, unless they are told not to. Pages and introspection differ by design.
const workshop = useWorkshop();
let gateways: GatewayProcess[];
beforeAll(async () => {
  const settings = {
    HOST: '127.0.0.1',
    // The same for all modes, so that it makes no difference here.
    BASE_URL: 'http://gateway.example',
    GRAPHQL_INTROSPECTION: 'off',
    PAGES: 'off',
  };
  gateways = ['production', 'development', 'test'].map((NODE_ENV) =>
    workshop.start({ ...settings, NODE_ENV }),
  );
  for (const gateway of gateways) {
    await gateway.address();
  }
  await rm(path.join(workshop.folder, 'storage/certifications'), { recursive: true });
});

/** Has the same asked of all, checks that they answer the same, and gives the answer. */
async function answerOfAll(ask: (url: string) => Promise<HttpResponse>): Promise<HttpResponse> {
  const answers: HttpResponse[] = [];
  for (const gateway of gateways) {
    answers.push(await ask(await gateway.address()));
  }
  const [first, ...others] = answers;
  if (!first) {
    throw new Error('there are gateways');
  }
  for (const other of others) {
    expect(comparable(other)).toEqual(comparable(first));
  }
  expect(first.text).not.toMatch(/node_modules|\.[jt]s\b|\bat |ENOENT|stacktrace/);
  return first;
}

throughEachApi((apiOf) => {
  test('an unexpected error has the same answer for any NODE_ENV, and stderr stays empty', async () => {
    const fail = async (url: string) =>
      refused(await apiOf(url).registerDoctor(aDoctor()), 'unexpected').http;
    expect((await answerOfAll(fail)).text).toContain('Server Error');
    expect(gateways.map(({ stderr }) => stderr)).toEqual(['', '', '']);
  });

  test('an unreadable body has the same answer for any NODE_ENV', async () => {
    const { path: target } = apiOf('').doctorRequest({});
    const answer = await answerOfAll((url) => sendJson(`${url}${target}`, '{"password":'));
    expect(answer.status).toBe(400);
  });
});

test.each([
  ['/nothing', 'could not be found'],
  ['/storage/%zz', 'could not be found'],
  ['/graphql?query=%7B', 'GRAPHQL_PARSE_FAILED'],
])('%s has the same answer for any NODE_ENV', async (target, words) => {
  expect((await answerOfAll((url) => send(`${url}${target}`))).text).toContain(words);
});
