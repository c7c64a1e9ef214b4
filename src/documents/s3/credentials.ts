import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../system/own-package.ts';

/** What requests to a bucket are signed with. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** The key of the settings; undefined: what Amazon's own programs would use here. */
export type CredentialSettings = Pick<AwsCredentials, 'accessKeyId' | 'secretAccessKey'> | undefined;

/**
 * The key of the settings, or else the credentials of Amazon's chain: environment, profiles, single sign-on, processes, the roles of pods,
 * containers and machines. The chain keeps them, and renews them before they expire.
 * @returns a function that gets valid credentials; it throws if there are none
 */
export function credentialsFrom(settings: CredentialSettings, region: string): () => Promise<AwsCredentials> {
  if (settings) {
    return async () => sendable(settings);
  }
  let loading: ReturnType<typeof loadChain> | undefined;
  return async () => {
    loading ??= loadChain(region);
    const chain = await loading;
    return sendable(await withinTime(chain().catch(asOwnError)));
  };
}

const PACKAGE = '@aws-sdk/credential-provider-node';

/**
 * It reads the environment and the files of Amazon's programs itself. It is an optional peer dependency, because only a bucket without a
 * static key needs it.
 */
async function loadChain(region: string): Promise<() => Promise<AwsCredentials>> {
  try {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    return defaultProvider({ clientConfig: { region } });
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') {
      throw cause;
    }
    const { peerDependencies } = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'));
    const install = `npm install --no-save --save-prod --omit=dev ${PACKAGE}@${peerDependencies[PACKAGE]}`;
    throw new Error(
      `Without S3_ACCESS_KEY_ID, credentials come from ${PACKAGE}, which is not installed. Install it: ${install}`,
      { cause },
    );
  }
}

const NONE = 'There are no credentials for S3: ';

/** Some of the chain's requests have no time limit of their own. */
const MAX_MILLIS = 10_000;

async function withinTime<T>(search: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`${NONE}they did not come within ${MAX_MILLIS / 1_000} s`));
    timer = setTimeout(fail, MAX_MILLIS).unref();
  });
  return Promise.race([search, late]).finally(() => clearTimeout(timer));
}

/**
 * Only the chain's own texts are known to quote nothing. Other errors may have a part of an answer or of a setting in their text.
 * @throws Error without a cause
 */
function asOwnError(failure: unknown): never {
  const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
  const isKnown = ['CredentialsProviderError', 'TokenProviderError'].includes(name);
  throw new Error(NONE + (isKnown ? message : name));
}

/** What is sent in headers: visible ASCII (RFC 9110 section 5.5). */
const SENDABLE = /^[!-~]+$/;

/** @throws Error without the values. The error of a header would quote them */
function sendable({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): AwsCredentials {
  if (!SENDABLE.test(accessKeyId) || !SENDABLE.test(sessionToken ?? '-')) {
    throw new Error('the access key id or session token for S3 has a blank or a character that is not ASCII');
  }
  return { accessKeyId, secretAccessKey, sessionToken };
}
