import { registeredDoctor } from '../../support/expectations.ts';
import { askEntities, type EntitiesBody, reference, SUBGRAPH } from '../../support/federation.ts';
import { jsonOf } from '../../support/http.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp(SUBGRAPH);
const REFERENCES = 60;

/* A long answer is encoded in parts. A character of two halves is where one of them ends, in one of the two cases or the other. */
test.each([
  ['of one byte', 'x'.repeat(5_000)],
  ['of three bytes', '漢'.repeat(5_000)],
  ['of two halves', '😀'.repeat(2_500)],
  ['of two halves, behind another', `x${'😀'.repeat(2_499)}`],
])('an answer of 900,000 characters %s is whole', async (_case, text) => {
  const { account, token } = registeredDoctor(
    await restApi(app.url).registerDoctor(
      aDoctor({ workHistory: text, publications: text, practiceAddress: text }),
    ),
  );
  const references = Array.from({ length: REFERENCES }, () => reference(account.id));
  const profile = { workHistory: text, publications: text, practiceAddress: text };
  const answers = Array(REFERENCES).fill({ profile });
  // Apollo Server answers the first, and the fast path the second.
  for (const _time of [1, 2]) {
    const http = await askEntities(
      app.url,
      references,
      bearer(token),
      'profile { workHistory publications practiceAddress }',
    );
    expect(jsonOf<EntitiesBody>(http).data?._entities).toEqual(answers);
    expect(Number(http.headers.get('content-length'))).toBe(Buffer.byteLength(http.text));
  }
});
