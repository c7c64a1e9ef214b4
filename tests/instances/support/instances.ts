import path from 'node:path';
import { allFiles, type Storage } from '../../documents/support/aftermath.ts';
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

/** Where instances keep things. */
export const storageOf = ({ workshop }: Pick<Instances, 'workshop'>): Storage => ({
  database: workshop.database,
  storageDir: path.join(workshop.folder, 'storage'),
});

/** Checks that there is nothing that no account owns: neither a file nor a record. */
export async function expectNoOrphans({ database, storageDir }: Storage): Promise<void> {
  const accounts = await database.accounts.distinct('_id');
  const profiles = await database.profiles.find().toArray();
  const documents = profiles.flatMap((profile) => [
    profile.licenseFilePath,
    profile.diplomaFilePath,
    profile.certificationFilePath,
  ]);
  expect(await allFiles(storageDir)).toEqual(documents.sort());
  expect(profiles.map(({ _id }) => _id).filter((id) => !accounts.includes(id))).toEqual([]);
  expect(await database.tokens.countDocuments({ accountId: { $nin: accounts } })).toBe(0);
}

const WARNING = 40;

/** Everything that a gateway has complained of: log lines from warnings upwards, and whatever is on standard error. */
function warningsOf({ stdout, stderr }: GatewayProcess): string[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const warnings = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= WARNING);
  return stderr === '' ? warnings : [...warnings, stderr];
}

/** What a gateway complains of whose database a slow machine keeps from answering in time. */
const isOfWaiting = (warning: string): boolean =>
  /waiting for the database|Service Unavailable|audit events wait|last uses of tokens/.test(warning);

/** Stops a gateway, and checks that it has never complained of anything but a slow machine. */
export async function stopWithoutWarnings(gateway: GatewayProcess): Promise<void> {
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
  expect(warningsOf(gateway).filter((warning) => !isOfWaiting(warning))).toEqual([]);
}
