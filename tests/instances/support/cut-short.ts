import type { Api, Outcome } from '../../support/apis.ts';
import { type Command, named } from '../../support/database-messages.ts';
import type { DatabaseProxy } from '../../support/database-proxy.ts';
import { aPdfOf } from '../../support/documents.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { openForm } from '../../support/multipart.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import type { Registrant } from '../../support/whole-account.ts';

/** A registration that a kill interrupts. */
export interface CutShort extends Registrant {
  /** True if the last step is done by then, although no answer was sent. */
  isCommitted: boolean;
}

/**
 * The commands of a registration in order, without the read of the counts. The last one makes it visible. An earlier
 * registration from the same address has made the counts that are updated, one of the address and one of its /24.
 */
const COMMANDS = [
  'update attempt_counts',
  'find accounts',
  'insert doctor_profiles',
  'insert access_tokens',
  'insert accounts',
] as const;
interface Step {
  command: string;
  when: 'before' | 'after';
}
const MOMENTS: readonly Step[] = COMMANDS.flatMap((command) => [
  { command, when: 'before' },
  { command, when: 'after' },
]);
const COMMIT = MOMENTS.at(-1);

/** Both APIs in turn, so that a patient and a doctor at one step come through both. */
const nthApi = (url: string, n: number): Api => (n % 2 === 0 ? restApi(url) : graphqlApi(url));

/** How many of the registrations of {@link freezeEverywhere} have come beyond which step. */
export const LEFT_BEHIND = { accounts: 2, profiles: 5, tokens: 6 } as const;

/** Stops registrations before and after each step of both roles, where they stay. */
export async function freezeEverywhere(proxy: DatabaseProxy, url: string): Promise<CutShort[]> {
  const frozen: CutShort[] = [];
  for (const [index, moment] of MOMENTS.entries()) {
    if (moment.command === 'insert doctor_profiles') {
      continue;
    }
    const person = aPatient();
    await freeze(proxy, moment, () => nthApi(url, index).registerPatient(person));
    frozen.push({ person, documents: undefined, isCommitted: moment === COMMIT });
  }
  for (const [index, moment] of MOMENTS.entries()) {
    const person = aDoctor();
    await freeze(proxy, moment, () => nthApi(url, index + 1).registerDoctor(person));
    frozen.push({ person, documents: person, isCommitted: moment === COMMIT });
  }
  return frozen;
}

/** The sweep at the start reads accounts as well, many at a time. */
const isOfSweep = (message: Buffer): boolean => message.includes('$in\0');

async function freeze(
  proxy: DatabaseProxy,
  { command, when }: Step,
  register: () => Promise<Outcome>,
): Promise<void> {
  const isNamed = named(command);
  // Both counts are updated at the same time: the last one decides.
  const skip = command === 'update attempt_counts' ? 1 : 0;
  const moment = { command: (each: Command) => isNamed(each) && !isOfSweep(each.bytes), when, skip };

  // The kill cuts off callers that wait for an answer. On a slow machine they may get a 503 before that.
  const answered = register().then(
    ({ http }) => http.text,
    () => 'cut off',
  );
  const tooEarly = await Promise.race([proxy.breakAt(moment, 'freeze'), answered]);
  if (tooEarly !== undefined) {
    throw new Error(`answered before ${command}: ${tooEarly}`);
  }
}

const FILE_BYTES = 50_000;

/** How much of a body has come in, and how many of its files have begun by then. */
const SHARES = [
  { share: 0.25, files: 1 },
  { share: 0.5, files: 2 },
  { share: 0.75, files: 3 },
  { share: 0.9999, files: 3 },
];

/** How many files the registrations of {@link beginUploads} have in quarantine. */
export const FILES_BEGUN = SHARES.reduce((sum, { files }) => sum + files, 0);

/** Sends the beginnings of registrations. */
export async function beginUploads(url: string): Promise<CutShort[]> {
  const begun: CutShort[] = [];
  for (const [index, { share }] of SHARES.entries()) {
    const person = aDoctor({
      licenseFile: aPdfOf(FILE_BYTES),
      diplomaFile: aPdfOf(FILE_BYTES),
      certificationFile: aPdfOf(FILE_BYTES),
    });
    const { req, body } = await openForm(url, nthApi(url, index).doctorRequest(person));
    req.write(body.subarray(0, Math.floor(share * body.length)));
    begun.push({ person, documents: person, isCommitted: false });
  }
  return begun;
}
