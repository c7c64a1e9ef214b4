import { readConfig } from '../../../src/config/config.ts';
import { problemsOf } from '../../support/config-problems.ts';

const DIGEST = 'ab'.repeat(32);

test('services have an id and the digest of a secret, or of two', () => {
  const other = 'cd'.repeat(32);
  const setting = ` appointments:${DIGEST.toUpperCase()} , billing:${DIGEST},appointments:${other}`;
  const { services } = readConfig({ INTROSPECTION_CLIENTS: setting });
  expect([...services].map(([id, digests]) => [id, digests.map((digest) => digest.toString('hex'))])).toEqual(
    [
      ['appointments', [DIGEST, other]],
      ['billing', [DIGEST]],
    ],
  );
  expect(readConfig({}).services.size).toBe(0);
});

test('every wrong entry of a service is a problem, which does not contain the entry', () => {
  const entries = [
    'billing:secret-in-clear',
    `a b:${DIGEST}`,
    `x:${DIGEST}`,
    `x:${DIGEST}`,
    'y',
    `z:${DIGEST}:`,
  ];
  const ofNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const problems = problemsOf({ INTROSPECTION_CLIENTS: [...entries, `w:${ofNothing}`, ''].join(',') });
  const shape = 'must be <id>:<SHA-256 of its secret in 64 hex digits>.';
  expect(problems).toEqual([
    `INTROSPECTION_CLIENTS entry 1 ${shape}`,
    'INTROSPECTION_CLIENTS entry 2 must have an id of up to 64 letters, digits, ".", "_" and "-".',
    'INTROSPECTION_CLIENTS entry 4 is the same as another entry.',
    `INTROSPECTION_CLIENTS entry 5 ${shape}`,
    `INTROSPECTION_CLIENTS entry 6 ${shape}`,
    'INTROSPECTION_CLIENTS entry 7 has the digest of an empty secret.',
    `INTROSPECTION_CLIENTS entry 8 ${shape}`,
  ]);
});

test('forward authentication is on the main port, on the metrics port, or off', () => {
  expect(readConfig({}).forwardAuth).toBe('main');
  expect(readConfig({ FORWARD_AUTH: 'off' }).forwardAuth).toBe('off');
  expect(readConfig({ FORWARD_AUTH: 'metrics', METRICS: 'on' }).forwardAuth).toBe('metrics');
  expect(problemsOf({ FORWARD_AUTH: 'metrics' })).toEqual([
    'FORWARD_AUTH cannot be metrics if METRICS is off.',
  ]);
});

test('the GraphQL API is no subgraph unless FEDERATION says so', () => {
  expect(readConfig({}).federation).toBe(false);
  expect(readConfig({ FEDERATION: 'on' }).federation).toBe(true);
});
