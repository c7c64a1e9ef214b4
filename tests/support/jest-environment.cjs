const { TestEnvironment } = require('jest-environment-node');

/** What Jest's runner (jest-circus) keeps on the global object about one test file. */
const RUNNER_STATE = /^(?:JEST_STATE_SYMBOL|EVENT_HANDLERS|TEST_TIMEOUT_SYMBOL)$/;

/**
 * All test files of a worker run in the realm of Node.js itself. So what Node.js and packages make has the classes of the tests,
 * as in production, and jest-runtime.cjs can load code once for all of them. After each file, the environment takes back what
 * Jest has replaced for it.
 */
module.exports = class extends TestEnvironment {
  #console = console;
  #exit = process.exit;

  constructor(config, context) {
    super(config, context);
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    const options = { config: config.projectConfig, global: globalThis };
    this.fakeTimersModern = new this.fakeTimersModern.constructor(options);
  }

  async teardown() {
    // The next file uses the same packages.
    this.moduleMocker.restoreAllMocks();
    // Only after the last hook of the file, which may still use its database (delayed-database.ts).
    await globalThis.stopDelayedDatabase?.();
    delete globalThis.stopDelayedDatabase;
    await super.teardown();
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (RUNNER_STATE.test(key.description)) {
        delete globalThis[key];
      }
    }
  }
};
