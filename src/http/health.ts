/** What the gateway depends on, and whether each of them works. */
export interface Health {
  database: boolean;
  storage: boolean;
}

/** How each is asked; one that does not work rejects. */
export type HealthProbes = Readonly<Record<keyof Health, () => Promise<unknown>>>;

/** Longer than a healthy one ever takes, and short enough for somebody who waits. */
const PATIENCE_MILLIS = 1000;

/**
 * Asks all of them at once.
 * @returns within a second, and only yes or no: why something does not work is for the log of the operator, not for
 * whoever asks (OWASP ASVS 16.5.1)
 */
export async function checkHealth(probes: HealthProbes): Promise<Health> {
  const [database, storage] = await Promise.all([works(probes.database), works(probes.storage)]);
  return { database, storage };
}

async function works(probe: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MILLIS, false);
  });
  const answer = probe().then(
    () => true,
    () => false,
  );
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}
