import { send } from './http.ts';
import type { TestApp } from './test-app.ts';

/** How many hashes run and wait in an app with metrics. */
export async function hashQueueOf({ metricsUrl }: TestApp): Promise<{ running: number; waiting: number }> {
  const { text } = await send(`${metricsUrl}/metrics`);
  const gauge = (name: string) =>
    Number(new RegExp(`^auth_gateway_hash_queue_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { running: gauge('running'), waiting: gauge('waiting') };
}
