import { createHash, randomBytes } from 'node:crypto';

/** Services behind a gateway that may ask about tokens, with new secrets. */
export interface TestServices {
  /** For INTROSPECTION_CLIENTS. */
  setting: Record<string, string>;
  /** @throws Error for a service that was not named */
  secretOf(service: string): string;
}

/** @param ids as the services name themselves */
export function servicesOf(ids: readonly string[]): TestServices {
  const secrets = new Map(ids.map((id) => [id, randomBytes(30).toString('base64url')]));
  const entries = [...secrets].map(
    ([id, secret]) => `${id}:${createHash('sha256').update(secret).digest('hex')}`,
  );
  return {
    setting: entries.length > 0 ? { INTROSPECTION_CLIENTS: entries.join(',') } : {},
    secretOf(service) {
      const secret = secrets.get(service);
      if (secret === undefined) {
        throw new Error(
          `This test gateway has no service "${service}": startTestGateway({ services: ['${service}'] }).`,
        );
      }
      return secret;
    },
  };
}
