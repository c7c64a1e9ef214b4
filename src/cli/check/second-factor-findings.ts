import { TwoFactorPolicy } from '../../auth/two-factor/policy.ts';
import { keyIdsOf } from '../../auth/two-factor/secret-cipher.ts';
import type { Config } from '../../config/config.ts';
import { ROLES } from '../../stores/accounts.ts';
import type { Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';
import { error, type Finding, note, ok, warning } from './check.ts';

/** Kills leave fewer apps that no account names. */
const MANY = 1_000;

/** The second factors: whether the gateway can read their secrets, and whether reviewers have one. */
export async function* secondFactorFindings(
  { twoFactor }: Pick<Config, 'twoFactor'>,
  { accounts, factors }: Pick<Stores, 'accounts' | 'factors'>,
  clock: Clock,
): AsyncGenerator<Finding> {
  const keyIds = keyIdsOf(twoFactor.secrets);
  const unreadable = await factors.findWithOtherKey(keyIds, MANY);
  if (unreadable.length === MANY || (unreadable.length > 0 && (await accounts.hasAnyApp(unreadable)))) {
    yield error(
      'TWO_FACTOR_SECRET lacks a line that stored secrets of authenticator apps need: the gateway does not start.',
      'Put the former line back, behind the others: docs/operations/second-factor.md, "Replace the secret".',
    );
    return;
  }
  if (keyIds.length > 1) {
    const old = await factors.countWithOtherKey(keyIds.slice(0, 1));
    yield old > 0
      ? note(
          `${old} secrets of authenticator apps still need another line of TWO_FACTOR_SECRET than the first.`,
          'Keep those lines. Each secret is encrypted again when its owner next uses a code.',
        )
      : ok('No secret of an authenticator app needs another line of TWO_FACTOR_SECRET than the first.');
  }
  if (new TwoFactorPolicy(twoFactor, clock).names(ROLES.REVIEWER)) {
    const off = (await accounts.countFactors()).get(ROLES.REVIEWER)?.off ?? 0;
    yield off > 0
      ? warning(
          `Reviewers without the second factor that TWO_FACTOR_REQUIRED asks for: ${off}. They cannot review.`,
          'auth-gateway admin accounts list --role reviewer --without-two-factor shows who. Ask them to set one up.',
        )
      : ok('All reviewers have a second factor.');
  }
}
