import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { InvalidServiceError } from '../system/errors.ts';
import { randomBase62 } from '../system/random.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { Caller } from './caller.ts';
import type { ActThrottle } from './throttle/act-throttle.ts';

interface ServiceAuthenticationParts {
  /** From INTROSPECTION_CLIENTS. */
  serviceSecrets: ServiceSecrets;
  actThrottle: ActThrottle;
  audit: AuditTrail;
}

/** Authenticates the services behind the gateway. */
export class ServiceAuthentication {
  #secrets: ServiceSecrets;

  constructor(private readonly parts: ServiceAuthenticationParts) {
    this.#secrets = parts.serviceSecrets;
  }

  /** False if no service can be authenticated. */
  get isOn(): boolean {
    return this.#secrets.size > 0;
  }

  /** Authenticates other services, or with other secrets, from now on. */
  replaceSecrets(secrets: ServiceSecrets): void {
    this.#secrets = secrets;
  }

  /**
   * Authenticates a service.
   *
   * Right credentials are always accepted: nobody can lock a service out by wrong guesses, not even from its own address.
   * This is safe because a secret is too long to be guessed. The limit on wrong credentials spares the log and the database.
   * @param readings the credentials as sent, in every reading of their encoding; empty if there are none
   * @returns the id of the service
   * @throws InvalidServiceError, TooManyAttemptsError
   */
  async authenticate(readings: readonly ServiceCredentials[], caller: Caller): Promise<string> {
    const { audit } = this.parts;
    const secrets = this.#secrets;
    const tries = readings.map((credentials) => ({ ...credentials, fault: faultOf(credentials, secrets) }));
    const right = tries.find(({ fault }) => fault === undefined);
    if (right) {
      void audit.write({ act: 'service authentication', service: right.id }, caller);
      return right.id;
    }
    // An id that is unknown may be anything, even a secret. The audit trail has only known ids.
    const service = tries.find(({ id }) => secrets.has(id))?.id;
    try {
      return await this.#refuse(tries[0]?.fault, caller);
    } catch (error) {
      void audit.write({ act: 'service authentication', ...(service && { service }) }, caller, error);
      throw error;
    }
  }

  /** A request without credentials has guessed nothing, so it is not counted. */
  async #refuse(fault: string | undefined, { ip, timeBudget }: Caller): Promise<never> {
    if (fault !== undefined) {
      await timeBudget.within(() => this.parts.actThrottle.countServiceFailure(ip));
    }
    throw new InvalidServiceError(fault ?? 'no credentials');
  }
}

/** The secrets of the services that may ask, by service id. A service has two secrets while one is being replaced. */
export type ServiceSecrets = ReadonlyMap<string, readonly SecretDigest[]>;

/** SHA-256 of a secret. Its random bits need no slow hash. */
export type SecretDigest = Buffer;

/** What a service presents. */
export interface ServiceCredentials {
  id: string;
  secret: string;
}

/** The ids are labels of metrics and words of the log. */
export const SERVICE_ID = /^[\w.-]{1,64}$/;

/** 238 random bits, as in an access token. */
const SECRET_CHARACTERS = 40;

/** A shorter secret may be guessed, so it is not accepted even if its digest is right (RFC 6819 section 5.1.4.2.2). */
const MIN_SECRET_CHARACTERS = 32;

export const secretDigest = (secret: string): SecretDigest => createHash('sha256').update(secret).digest();

/** Makes a secret for a service. Only its digest is stored. */
export const generateServiceSecret = (): string => randomBase62(SECRET_CHARACTERS);

/** Equals the digest of no secret that anybody knows. */
const UNKNOWN = randomBytes(secretDigest('').length);

/**
 * Compares credentials in constant time. An unknown id costs a comparison, too.
 * @returns undefined if they are right, otherwise the reason for the audit trail
 */
function faultOf({ id, secret }: ServiceCredentials, secrets: ServiceSecrets): string | undefined {
  const presented = secretDigest(secret);
  const stored = secrets.get(id);
  const isRight = (stored ?? [UNKNOWN]).filter((digest) => timingSafeEqual(digest, presented)).length > 0;
  if (stored === undefined) {
    return 'unknown service';
  }
  if (!isRight) {
    return 'wrong secret';
  }
  return secret.length < MIN_SECRET_CHARACTERS
    ? `a secret of fewer than ${MIN_SECRET_CHARACTERS} characters`
    : undefined;
}
