import type { Clock } from '../../system/clock.ts';
import { type AwsCredentials, type AwsEnvironment, findCredentials } from './credential-sources.ts';

/** A key of the settings, or where to look for one. */
export type CredentialSettings =
  | Pick<AwsCredentials, 'accessKeyId' | 'secretAccessKey'>
  | { aws: AwsEnvironment };

/**
 * The credentials of the settings, or else those that Amazon's programs would use here.
 * @returns a function that gets valid credentials; it throws if there are none
 */
export function credentialsFrom(
  settings: CredentialSettings,
  region: string,
  clock: Pick<Clock, 'now'>,
): () => Promise<AwsCredentials> {
  if ('aws' in settings) {
    const kept = new KeptCredentials(
      async () => sendable(await findCredentials(settings.aws, region)),
      clock,
    );
    return () => kept.get();
  }
  const fixed = { ...settings, sessionToken: undefined, expiresAt: undefined };
  return async () => sendable(fixed);
}

/** What is sent in headers: visible ASCII (RFC 9110 section 5.5). */
const SENDABLE = /^[!-~]+$/;

/** @throws Error without the values. The error of a header would quote them */
function sendable(credentials: AwsCredentials): AwsCredentials {
  const { accessKeyId, sessionToken = '-' } = credentials;
  if (!SENDABLE.test(accessKeyId) || !SENDABLE.test(sessionToken)) {
    throw new Error('the access key id or session token for S3 has a blank or a character that is not ASCII');
  }
  return credentials;
}

/** New credentials are fetched when the old ones have less time left than this. Amazon renews them earlier. */
const RENEWAL_MILLIS = 300_000;

/** Keeps credentials until shortly before they expire. Simultaneous callers wait for one search. */
class KeptCredentials {
  #kept: AwsCredentials | undefined;
  #search: Promise<AwsCredentials> | undefined;

  constructor(
    private readonly find: () => Promise<AwsCredentials>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async get(): Promise<AwsCredentials> {
    const left = (this.#kept?.expiresAt ?? Number.POSITIVE_INFINITY) - this.clock.now();
    if (this.#kept && left > RENEWAL_MILLIS) {
      return this.#kept;
    }
    const found = this.#renew();
    if (this.#kept && left > 0) {
      // They are still valid. If there are no new ones yet, the next request asks again.
      found.catch(() => {});
      return this.#kept;
    }
    return found;
  }

  #renew(): Promise<AwsCredentials> {
    this.#search ??= this.find()
      .then((found) => {
        this.#kept = found;
        return found;
      })
      .finally(() => {
        this.#search = undefined;
      });
    return this.#search;
  }
}
