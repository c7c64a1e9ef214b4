import { type GatewayProcess, useWorkshop, type Workshop } from '../../support/gateway-process.ts';

/** Two gateways on one database, which is a process of its own, and one storage folder. */
export interface Instances {
  workshop: Workshop;
  /** The addresses of both, without a slash at the end. */
  a: string;
  b: string;
  /** Both, to look at what they have logged. */
  gateways: GatewayProcess[];
}

/**
 * Two instances for all tests of the file, started at the same time.
 * @param settings of both, over the usual ones; made anew where that takes time
 */
export function useInstances(
  settings: () => Promise<Record<string, string>> = async () => ({ RATE_LIMIT: 'off' }),
): Instances {
  const used = { workshop: useWorkshop('own') } as Instances;
  beforeAll(async () => {
    const chosen = await settings();
    used.gateways = [used.workshop.start(chosen), used.workshop.start(chosen)];
    const [a = '', b = ''] = await Promise.all(used.gateways.map((gateway) => gateway.url()));
    Object.assign(used, { a, b });
  });
  return used;
}
