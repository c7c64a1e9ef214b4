import type { Check, Examined } from '../check.ts';
import { type Finding, note, ok, warning } from '../finding.ts';
import { misspelt } from '../misspelt.ts';

/** Settings that are valid, and still not what production wants. */
export const settingsCheck: Check = {
  name: 'settings',
  maxMillis: 5_000,
  async *run(examined) {
    const { mode } = examined.config;
    yield ok(`All settings are valid (NODE_ENV=${mode}).`);
    if (mode !== 'production') {
      const todo =
        'For real accounts set NODE_ENV=production: docs/operations.md, "Settings that production needs".';
      yield warning(
        `NODE_ENV is ${mode}: no interface but the loopback, pages and the schema for everybody.`,
        todo,
      );
    }
    yield* misspelt(examined.environment, examined.settingNames);
    yield* risky(examined);
  },
};

function* risky({ config }: Examined): Generator<Finding> {
  if (config.rateLimit.loginsPerMinute === undefined) {
    yield warning(
      'Passwords can be guessed without a limit: RATE_LIMIT or RATE_LIMIT_LOGINS_PER_MINUTE is off.',
      'Remove the setting, unless something in front of the gateway limits logins.',
    );
  }
  if (config.mode === 'production' && config.database.kind === 'embedded' && !config.backup) {
    yield warning(
      'The embedded database is not backed up: BACKUP_DIR is not set.',
      'Set BACKUP_DIR to a folder on another disk, or run npm run db:backup by a schedule of your own.',
    );
  }
  if (config.mode === 'production' && config.metricsPort === undefined) {
    yield note(
      'METRICS is off: no alert tells of a gateway that fails.',
      'Set METRICS=on, and let Prometheus ask it.',
    );
  }
}
