import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { UsageError } from '../../cli/command-line.ts';
import { messageOf } from '../../system/system-errors.ts';
import { requireImport } from '../import/plan-import.ts';
import type { InvalidRow, LegacyContext } from '../legacy-context.ts';
import { LegacyError } from '../legacy-error.ts';
import { type VerifyResult, verify } from '../verify.ts';
import { withContext } from './open-context.ts';
import { type LegacyInvocation, type LegacyOptions, legacyOptions, type PrepareAction } from './options.ts';
import { FindingCounts, findingLines } from './run-report.ts';

/** Reads the options of the command `verify`. */
export const prepareTask: PrepareAction = (options) => {
  const { sample, tokens, url } = options;
  const count = sample === undefined ? undefined : Number(sample);
  if (count !== undefined && !(Number.isInteger(count) && count > 0 && count <= 1_000_000)) {
    throw new UsageError('--sample must be a whole number from 1 to 1000000.');
  }
  if (tokens !== undefined && !existsSync(tokens)) {
    throw new UsageError(`--tokens must be a file: ${tokens}`);
  }
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new UsageError('--url must be an address such as http://127.0.0.1:4000.');
  }
  const given = { legacy: legacyOptions(options), sample: count, tokensFile: tokens, url };
  return (invocation) => runVerify(invocation, given);
};

/** The options of `verify`. */
interface GivenVerify {
  legacy: LegacyOptions;
  sample: number | undefined;
  tokensFile: string | undefined;
  url: string | undefined;
}

/** Runs the command `verify`. @throws Error if anything differs */
async function runVerify(invocation: LegacyInvocation, given: GivenVerify): Promise<void> {
  const { output } = invocation;
  const counts = new FindingCounts();
  const found = (finding: InvalidRow) => {
    counts.add(finding);
    output.found(finding);
  };
  const result = await withContext(invocation, given.legacy, 'beside', (context) =>
    compare(context, given, found, invocation),
  );
  const refused = await presentTokens(invocation, given, found);
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
  found: (finding: InvalidRow) => void,
  { output }: LegacyInvocation,
): Promise<VerifyResult> {
  const policy = await requireImport(context, { timeZone: legacy.timeZone, needsFiles: false });
  const observer = { found, progress: output.progress.bind(output) };
  return verify({ ...context, policy, observer }, sample);
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

/** @returns how many tokens the gateway has refused */
async function presentTokens(
  { config, output }: LegacyInvocation,
  { tokensFile, url = config.baseUrl }: GivenVerify,
  found: (finding: InvalidRow) => void,
): Promise<number> {
  if (tokensFile === undefined) {
    return 0;
  }
  if (url === undefined) {
    throw new LegacyError('The address of the gateway is missing: give --url, or set BASE_URL.');
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

/** What a login with a token has shown. It never has the token. */
interface TokenCheck {
  /** The number of its line, from 1. */
  line: number;
  /** Why the token is not accepted; undefined if it is. */
  reason: string | undefined;
}

/** Longer than the gateway takes to answer when it is overloaded. */
const TIMEOUT_MILLIS = 30_000;

/**
 * Presents tokens to the gateway's GraphQL API, as their owners do.
 * @param file has one plain token in each line; empty lines are left out
 * @param url the address of the gateway
 */
async function* checkTokens(file: string, url: string): AsyncGenerator<TokenCheck> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    line += 1;
    const token = text.trim();
    if (token !== '') {
      yield { line, reason: await whyRefused(token, url) };
    }
  }
}

async function whyRefused(token: string, url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { id } }' }),
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    });
    const { data, errors } = (await response.json()) as GraphqlResponse;
    return data?.me?.id
      ? undefined
      : `the gateway answers ${errors?.[0]?.extensions?.code ?? response.status}`;
  } catch (error) {
    // A token with characters that no header can have is part of that error's text.
    return error instanceof TypeError && error.cause === undefined
      ? 'it has characters that no token has'
      : `the gateway does not answer: ${messageOf(error)}`;
  }
}

interface GraphqlResponse {
  data?: { me?: { id?: string } };
  errors?: { extensions?: { code?: string } }[];
}
