import { createGuard, GuardError, type Session } from '@auth-gateway/guard';

const guard = createGuard({
  url: 'https://auth.example.org',
  client: 'appointments',
  secret: 'x',
  cacheMillis: 5,
});

export async function ownerOf(token: string): Promise<string | undefined> {
  try {
    const session: Session | undefined = await guard.check(token);
    // @ts-expect-error: the token may not be valid
    session.name;
    return session?.can('update') ? session.authTime?.toISOString() : session?.acr;
  } catch (error) {
    return error instanceof GuardError && error.code === 'TIMEOUT'
      ? String(error.retryAfterSeconds)
      : undefined;
  }
}

// @ts-expect-error: a secret is required
createGuard({ url: 'https://auth.example.org', client: 'appointments' });
// As the environment and the configuration of a service have them. At run time a secret that is missing throws.
declare const secret: string | undefined;
createGuard({ url: 'https://auth.example.org', client: 'appointments', secret });
declare const role: string;
guard.express({ role });
guard.express({ role: ['doctor', role] });
guard.express({ acr: 'aal2', maxAge: 900 });
// @ts-expect-error: there is no such level
guard.express({ acr: 'aal3' });
// @ts-expect-error: it is a number of seconds
guard.express({ maxAge: '15m' });
// @ts-expect-error: there is no such requirement
guard.fastify({ roles: 'doctor' });
