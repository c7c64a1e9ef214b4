import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { dashboardQueries, readAlerts, readDashboard } from '../../support/watching.ts';

const run = promisify(execFile);

const folder = temporaryFolder();
beforeAll(async () => {
  await cp('deploy/prometheus', folder, { recursive: true });
});

/** What promtool prints. It rejects with its output if promtool finds an error. */
async function promtool(...words: string[]): Promise<string> {
  const { stdout, stderr } = await run('promtool', words, { cwd: folder });
  return stdout + stderr;
}

test('promtool accepts the configuration and the alerts', async () => {
  expect(await promtool('check', 'config', 'prometheus.yml')).toContain('1 rule files found');
  expect(await promtool('check', 'rules', '--lint-fatal', 'rules.yml')).toContain('SUCCESS');
});

test('promtool accepts the configuration with the pods of Kubernetes instead of addresses', async () => {
  const config = await readFile(path.join(folder, 'prometheus.yml'), 'utf8');
  const [before = '', kubernetes = ''] = config.split(/^ +# In Kubernetes.*\n/m);
  const withPods =
    before.replace(/ +static_configs:\n(?: +#.*\n)? +- targets: \["127\.0\.0\.1:9464"\]\n/, '') +
    kubernetes.replace(/^( +)# /gm, '$1');
  expect(withPods).toMatch(/^ {4}dns_sd_configs:$/m);
  expect(withPods).not.toContain('9464"]');
  await writeFile(path.join(folder, 'pods.yml'), withPods);
  expect(await promtool('check', 'config', 'pods.yml')).toContain('SUCCESS');
});

test('every alert fires in its scenario and in no other', async () => {
  expect(await promtool('test', 'rules', 'rules.test.yml')).toContain('SUCCESS');
  const scenarios = await readFile(path.join(folder, 'rules.test.yml'), 'utf8');
  const fired = new Set([...scenarios.matchAll(/\{alertname="(\w+)"/g)].map(([, alert]) => alert));
  expect(readAlerts().filter(({ alert }) => !fired.has(alert))).toEqual([]);
});

test('the tests of the alerts fail if an alert does not fire', async () => {
  const rules = await readFile(path.join(folder, 'rules.yml'), 'utf8');
  await writeFile(
    path.join(folder, 'rules.yml'),
    rules.replace('up{job="auth-gateway"} == 0', 'up{job="auth-gateway"} == 2'),
  );
  await expect(promtool('test', 'rules', 'rules.test.yml')).rejects.toThrow('AuthGatewayInstanceDown');
  await writeFile(path.join(folder, 'rules.yml'), rules);
});

test('promtool accepts every expression of the dashboard', async () => {
  const queries = dashboardQueries(readDashboard());
  expect(queries.length).toBeGreaterThan(40);
  const rules = queries.map(({ expr }, index) => ({
    record: `panel:query${index}`,
    // Grafana replaces its variables before Prometheus reads the expression.
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
  }));
  await writeFile(path.join(folder, 'dashboard.yml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
  expect(await promtool('check', 'rules', 'dashboard.yml')).toContain(`SUCCESS: ${rules.length} rules found`);
});
