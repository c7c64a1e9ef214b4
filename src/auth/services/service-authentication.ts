import { InvalidServiceError } from '../../system/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Caller } from '../caller.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import { faultOf, type ServiceCredentials, type ServiceSecrets } from './service-secrets.ts';

interface ServiceAuthenticationParts {
  /** From INTROSPECTION_CLIENTS. */
  secrets: ServiceSecrets;
  actThrottle: ActThrottle;
  audit: AuditTrail;
}

/** Authenticates the services behind the gateway. */
export class ServiceAuthentication {
  #secrets: ServiceSecrets;

  constructor(private readonly parts: ServiceAuthenticationParts) {
    this.#secrets = parts.secrets;
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
   * @param readings the credentials as sent, in every way that they may be read; empty if there are none
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
