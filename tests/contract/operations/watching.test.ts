import { readFileSync } from 'node:fs';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { send } from '../../support/http.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { readExpression, type Selector } from '../../support/promql.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { type Sample, scrape } from '../../support/scrape.ts';
import { TWO_FACTOR } from '../../support/second-factor.ts';
import { APPOINTMENTS, ask, basic, introspect, SERVICES } from '../../support/services.ts';
import { useTestApp } from '../../support/test-app.ts';
import { dashboardQueries, readAlerts, readDashboard } from '../../support/watching.ts';
import { newWebhookSecret } from '../../support/webhook-receiver.ts';

const app = useTestApp({
  ...SERVICES,
  ...mailSettings('smtp://127.0.0.1:9'),
  ...TWO_FACTOR,
  TWO_FACTOR_REQUIRED: 'reviewer',
  METRICS: 'on',
  METRICS_PORT: '0',
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '1',
  EVENT_CLIENTS: 'appointments=*',
  WEBHOOKS: JSON.stringify([
    { name: 'records', url: 'http://127.0.0.1:9/', types: ['*'], secrets: [newWebhookSecret()] },
  ]),
});

/** Prometheus adds these to every sample. */
const OF_PROMETHEUS = ['job', 'instance'];
/** Prometheus makes these series itself. */
const MADE_BY_PROMETHEUS: Sample[] = [
  { name: 'up', labels: {}, value: 1 },
  { name: 'ALERTS', labels: { alertname: 'AuthGateway.*', alertstate: 'firing' }, value: 1 },
];
/** Node.js has these after its first garbage collection. */
const OF_GARBAGE_COLLECTION: Sample[] = ['sum', 'count'].map((end) => ({
  name: `nodejs_gc_duration_seconds_${end}`,
  labels: { kind: 'minor' },
  value: 1,
}));
/** Only a gateway with the embedded database and BACKUP_DIR has these. */
const OF_BACKUPS: Sample[] = [
  ...['last_success_timestamp_seconds', 'failures_total', 'duration_seconds', 'size_bytes'].map((end) => ({
    name: `auth_gateway_backup_${end}`,
    labels: {},
    value: 1,
  })),
  { name: 'auth_gateway_health_check_ok', labels: { check: 'backup' }, value: 1 },
];
/** Values that need a fault, or more than this test does. */
const UNSEEN: Record<string, string[]> = { outcome: ['failure'], operation: ['resubmitDocuments'] };

const alerts = readAlerts();
const dashboard = readDashboard();
const queries = [
  ...dashboardQueries(dashboard),
  ...alerts.map(({ expr, annotations }) => ({ expr, shown: Object.values(annotations).join(' ') })),
];

/** Does what brings every metric with its labels into a scrape. */
async function useEverything(): Promise<Sample[]> {
  const patient = aPatient();
  const stranger = { email: freshEmail(), password: freshPassword() };
  const rest = restApi(app.url);
  const { token } = authenticated(await rest.registerPatient(patient));
  authenticated(await rest.login(patient));
  refused(await rest.login({ ...patient, password: freshPassword() }), 'credentials');
  refused(await rest.login(stranger), 'credentials');
  refused(await rest.login(stranger), 'too many attempts');
  registeredDoctor(await rest.registerDoctor(aDoctor()));
  registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
  expect((await send(`${app.url}/healthz`)).status).toBe(200);
  await introspect(app.url, token);
  expect((await ask(app.url, 'token=x', basic(APPOINTMENTS.id, 'wrong'))).status).toBe(401);
  // A request is counted after its answer, and the first scrape begins the checks.
  await eventually(async () => {
    const samples = await scrape(app);
    const names = samples.map(({ name }) => name);
    expect(names).toContain('auth_gateway_health_check_ok');
    expect(names).toContain('auth_gateway_accounts');
    expect(samples.map(({ labels }) => labels.operation)).toContain('introspect');
  });
  return [...(await scrape(app)), ...MADE_BY_PROMETHEUS, ...OF_GARBAGE_COLLECTION, ...OF_BACKUPS];
}

/** What a selector demands and no sample has. */
function missingIn(samples: readonly Sample[], { metric, matchers }: Selector): string[] {
  const ofMetric = samples.filter(({ name }) => name === metric);
  if (ofMetric.length === 0) {
    return [metric];
  }
  return matchers
    .filter(({ label }) => !OF_PROMETHEUS.includes(label))
    .flatMap(({ label, values }) =>
      values
        .filter((value) => !UNSEEN[label]?.includes(value))
        .filter((value) => !ofMetric.some(({ labels }) => labels[label] === value))
        .map((value) => `${metric}{${label}="${value}"}`),
    );
}

/** The labels that the results of an expression have, and those that it wants to show or to aggregate by without having them. */
function strangeLabels(samples: readonly Sample[], expr: string, shown: string): string[] {
  const { selectors, by } = readExpression(expr);
  const read = samples.filter(({ name }) => selectors.some(({ metric }) => metric === name));
  const known = new Set([...OF_PROMETHEUS, ...read.flatMap(({ labels }) => Object.keys(labels))]);
  const results = by ?? [...known];
  const wanted = [...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);
  return [
    ...(by ?? []).filter((label) => !known.has(label)),
    ...wanted.filter((label) => !results.includes(label)),
  ];
}

test('every metric, label and value in the alerts and the dashboard is in a scrape of the gateway', async () => {
  const samples = await useEverything();
  expect(queries.length).toBeGreaterThan(60);
  const selectors = queries.flatMap(({ expr }) => readExpression(expr).selectors);
  const missing = selectors.flatMap((selector) => missingIn(samples, selector));
  expect([...new Set(missing)]).toEqual([]);
  expect(queries.flatMap(({ expr, shown }) => strangeLabels(samples, expr, shown))).toEqual([]);
});

test('every metric of the gateway is on the dashboard', async () => {
  const names = (await scrape(app)).map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, ''));
  const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
  const ours = [...new Set(names)].filter((name) => name.startsWith('auth_gateway_'));
  expect(ours.length).toBeGreaterThan(10);
  expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
});

test.each(alerts)(
  'the alert $alert says what to do, and is in the runbook',
  ({ alert, labels, annotations }) => {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(Object.keys(annotations)).toEqual(['summary', 'description', 'action', 'runbook']);
    expect(annotations.runbook).toBe(`docs/operations/runbook.md#${alert.toLowerCase()}`);
    expect(readFileSync('docs/operations/runbook.md', 'utf8')).toContain(`\n### ${alert}\n`);
  },
);

test('the runbook has no section of an alert that is gone', () => {
  const sections = [
    ...readFileSync('docs/operations/runbook.md', 'utf8').matchAll(/^### (AuthGateway\w+)$/gm),
  ];
  expect(sections.map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
});

test('every panel of the dashboard has a place of its own, a description and the data source of the viewer', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  const bare = panels.filter(
    ({ type, description, targets }) => type !== 'row' && !(description && targets?.length),
  );
  expect(bare).toEqual([]);
  const sources = [...JSON.stringify(dashboard).matchAll(/"uid":"([^"]*)"/g)].map(([, uid]) => uid);
  expect([...new Set(sources)].sort()).toEqual([`$\{datasource}`, 'auth-gateway']);
});
