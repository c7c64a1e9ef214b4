import path from 'node:path';
import { allFiles, type Storage } from '../../documents/support/aftermath.ts';
import { type GatewayProcess, useWorkshop, type Workshop } from '../../support/gateway-process.ts';

/** Two gateways with one database, in its own process, and one storage folder. */
export interface Instances {
  workshop: Workshop;
  /** The addresses of both, without a slash at the end. */
  a: string;
  b: string;
  /** Both processes, to check their logs. */
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

/** The database and the folder of the instances. */
export const storageOf = ({ workshop }: Pick<Instances, 'workshop'>): Storage => ({
  database: workshop.database,
  storageDir: path.join(workshop.folder, 'storage'),
});

/** Checks that every file and record belongs to an account. */
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

/** All problems that a gateway has reported: log lines from warnings upwards, and all text on standard error. */
function warningsOf({ stdout, stderr }: GatewayProcess): string[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const warnings = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= WARNING);
  return stderr === '' ? warnings : [...warnings, stderr];
}

/** The reports of a gateway whose database answers too late on a slow machine. */
const isOfWaiting = (warning: string): boolean =>
  /waiting for the database|Service Unavailable|audit events wait|last uses of tokens/.test(warning);

/** Stops a gateway, and checks that it has reported no problem except a slow machine. */
export async function stopWithoutWarnings(gateway: GatewayProcess): Promise<void> {
  expect(await gateway.stop()).toBe(0);
  expect(warningsOf(gateway).filter((warning) => !isOfWaiting(warning))).toEqual([]);
}
