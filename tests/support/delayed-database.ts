// Runs before every test file. With TEST_DATABASE_DELAY_MS, the database of the tests answers so many milliseconds late: what the
// file and its programs open, also through proxies of its own, leads through this proxy. jest-environment.cjs stops it.
const { TEST_DATABASE_DELAY_MS: delayMillis, TEST_DATABASE_URI: undelayed = '' } = process.env;
if (delayMillis) {
  const { startDatabaseProxy } = await import('./database-proxy.ts');
  const proxy = await startDatabaseProxy(undelayed);
  proxy.delay(Number(delayMillis));
  process.env.TEST_DATABASE_URI = proxy.through(undelayed);
  Object.assign(globalThis, {
    stopDelayedDatabase: () => {
      process.env.TEST_DATABASE_URI = undelayed;
      return proxy.stop();
    },
  });
}
