import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** One alert of deploy/prometheus. */
export interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

interface Target {
  expr: string;
  legendFormat: string;
}

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: Target[];
}

/** The part of Grafana's model that the tests read. */
export interface Dashboard {
  panels: Panel[];
  annotations: { list: { expr: string; titleFormat: string }[] };
  templating: { list: { name: string; query: unknown }[] };
}

/** The alerts of deploy/prometheus/rules.yml. */
export function readAlerts(): Alert[] {
  const { groups } = parse(readFileSync('deploy/prometheus/rules.yml', 'utf8')) as {
    groups: { rules: Alert[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** The dashboard of deploy/grafana. */
export const readDashboard = (): Dashboard =>
  JSON.parse(readFileSync('deploy/grafana/auth-gateway.json', 'utf8')) as Dashboard;

/** All expressions of the dashboard, each with the texts that show labels of its results. */
export const dashboardQueries = ({ panels, annotations }: Dashboard): { expr: string; shown: string }[] => [
  ...panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr, legendFormat }) => ({ expr, shown: legendFormat })),
  ...annotations.list.map(({ expr, titleFormat }) => ({ expr, shown: titleFormat })),
];
