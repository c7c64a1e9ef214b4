import type { Finding, LegacyContext } from '../../legacy-context.ts';
import { Refusal } from '../../refusal.ts';
import { requireImport } from '../../runs.ts';
import { type VerifyResult, verify } from '../../verify/verify.ts';
import { checkTokens } from '../../verify/verify-tokens.ts';
import type { Session } from '../command.ts';
import type { LegacyOptions } from '../legacy-options.ts';
import { withContext } from '../open-context.ts';
import { FindingCounts, findingLines } from '../output/run-report.ts';

/** A comparison as the command line asks for it. */
export interface GivenVerify {
  legacy: LegacyOptions;
  sample: number | undefined;
  tokensFile: string | undefined;
  url: string | undefined;
}

/** Runs the command `verify`. @throws Error if anything differs */
export async function runVerify(session: Session, given: GivenVerify): Promise<void> {
  const { output } = session;
  const counts = new FindingCounts();
  const found = (finding: Finding) => {
    counts.add(finding);
    output.found(finding);
  };
  const result = await withContext(session, given.legacy, 'beside', (context) =>
    compare(context, given, found, session),
  );
  const refused = await presentTokens(session, given, found);
  const different = Object.values(result).reduce((sum, one) => sum + one.different, 0);
  output.line({
    text: [...lines(result, given), ...findingLines(counts.groups)],
    json: {
      event: 'summary',
      command: 'verify',
      sample: given.sample ?? null,
      ...result,
      tokensRefused: refused,
    },
  });
  if (different + refused > 0) {
    throw new Error('The gateway differs from the legacy service.');
  }
  const { waiting } = result.accounts;
  if (waiting > 0) {
    throw new Error(
      `${waiting} ${waiting === 1 ? 'account' : 'accounts'} of the legacy service cannot log in here, because another account has ` +
        'the e-mail or the id. Change one of the two e-mails, and run sync.',
    );
  }
}

async function compare(
  context: LegacyContext,
  { legacy, sample }: GivenVerify,
  found: (finding: Finding) => void,
  { output }: Session,
): Promise<VerifyResult> {
  const policy = await requireImport(context, { timeZone: legacy.timeZone, needsFiles: false });
  const observer = { found, progress: output.progress.bind(output) };
  return verify({ ...context, policy, observer }, sample);
}

/** @returns how many tokens the gateway has refused */
async function presentTokens(
  { config, output }: Session,
  { tokensFile, url = config.baseUrl }: GivenVerify,
  found: (finding: Finding) => void,
): Promise<number> {
  if (tokensFile === undefined) {
    return 0;
  }
  if (url === undefined) {
    throw new Refusal('The address of the gateway is missing: give --url, or set BASE_URL.');
  }
  let [accepted, refused] = [0, 0];
  for await (const { line, reason } of checkTokens(tokensFile, url)) {
    if (reason === undefined) {
      accepted += 1;
    } else {
      refused += 1;
      found({ kind: 'tokens', id: `line ${line}`, outcome: 'differs', reason });
    }
  }
  output.line({
    text: `${accepted} tokens of the file are accepted at ${url}, ${refused} refused`,
    json: { event: 'tokens', accepted, refused },
  });
  return refused;
}

function lines(result: VerifyResult, { sample, legacy }: GivenVerify): string[] {
  const compared = Object.entries(result).map(
    ([kind, { compared, different, kept, notTaken, waiting }]) =>
      `  ${kind}: ${compared} compared, ${different} different, ${kept} kept, ${notTaken} not taken` +
      (waiting > 0 ? `, ${waiting} without a place here` : ''),
  );
  return [
    'Compared with the legacy service:',
    ...compared,
    ...(sample === undefined
      ? []
      : ['  Only a sample: other rows and files, and rows added since, were not looked at.']),
    ...(legacy.filesDir === undefined ? ['  Files were not compared: there is no --files.'] : []),
  ];
}
