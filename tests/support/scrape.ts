import { send } from './http.ts';
import type { TestApp } from './test-app.ts';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** What a scrape says, read from the text format of Prometheus. */
export async function scrape({ metricsUrl }: Pick<TestApp, 'metricsUrl'>): Promise<Sample[]> {
  const { status, text } = await send(`${metricsUrl}/metrics`);
  expect(status).toBe(200);
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
    value: Number(value),
  }));
}
