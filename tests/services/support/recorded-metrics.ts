import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { send } from '../../support/http.ts';
import { SEARCH_PATH } from './programs.mjs';

const RULES = path.resolve('deploy/prometheus/rules.yml');
/** The name of the gateways in deploy/prometheus/prometheus.yml. */
const JOB = 'auth-gateway';

/** The metrics of gateways, scrape after scrape. For Prometheus there is a minute between two scrapes. */
export interface RecordedMetrics {
  /** The number of the next scrape. */
  readonly next: number;
  /** Scrapes all gateways. */
  scrape(): Promise<void>;
  /**
   * Checks by `promtool test rules` which alerts fire after each of these scrapes, and how many of each.
   * @param expected by the number of a scrape: the numbers of alerts by name. Only alerts that match
   *   `alerts` count, and of those about a check only those about the database
   */
  expectAlerts(alerts: string, expected: Record<number, Record<string, number>>): Promise<void>;
}

/** @param gateways the addresses of their metrics, by the name of the instance */
export function recordMetrics(gateways: Record<string, string>): RecordedMetrics {
  /** By name and labels: a value for each scrape. */
  const series = new Map<string, string[]>();
  let next = 0;
  const note = (name: string, labels: string, value: string) => {
    const key = `${name}{${labels}}`;
    const values = series.get(key) ?? [];
    // `_` is a scrape without the series.
    series.set(key, [...values, ...Array.from({ length: next - values.length }, () => '_'), value]);
  };
  const scrape = async () => {
    for (const [instance, url] of Object.entries(gateways)) {
      const own = `job="${JOB}",instance="${instance}"`;
      const { text } = await send(`${url}/metrics`);
      note('up', own, '1');
      for (const [, name = '', labels, value] of text.matchAll(
        /^(\w+)(?:\{(.*)\})? (-?[\d.]+(?:e[+-]?\d+)?)$/gm,
      )) {
        note(name, labels === undefined ? own : `${own},${labels}`, value ?? '');
      }
    }
    next += 1;
  };
  const expectAlerts: RecordedMetrics['expectAlerts'] = async (alerts, expected) => {
    const tests = Object.entries(expected).map(([scrape, counts]) => ({
      expr: `count by (alertname) (ALERTS{alertstate="firing",alertname=~"${alerts}",check=~"|database"})`,
      eval_time: `${scrape}m`,
      exp_samples: Object.entries(counts).map(([name, value]) => ({
        labels: `{alertname="${name}"}`,
        value,
      })),
    }));
    await testRules({
      rule_files: [RULES],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [...series].map(([key, values]) => ({ series: key, values: values.join(' ') })),
          promql_expr_test: tests,
        },
      ],
    });
  };
  return {
    get next() {
      return next;
    },
    scrape,
    expectAlerts,
  };
}

/** Runs promtool. It fails with the differences, which it prints to standard output. */
async function testRules(test: object): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-rules-'));
  const file = path.join(folder, 'recorded.test.yml');
  // JSON is YAML, too.
  await writeFile(file, JSON.stringify(test));
  try {
    await promisify(execFile)('promtool', ['test', 'rules', file], { env: { PATH: SEARCH_PATH } });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`promtool: ${stdout}${stderr}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
