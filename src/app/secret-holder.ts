import type { Config } from '../config/config.ts';

/** A part of the gateway that holds secrets. */
export interface SecretHolder {
  /**
   * Uses the secrets of these settings from now on, and ignores all other settings. It neither waits nor fails, so that all
   * parts change together. Requests under way may end with the secrets that they began with.
   */
  takeSecrets(config: Config): void;
}
