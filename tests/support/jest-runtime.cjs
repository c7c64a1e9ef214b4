const async_hooks = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');
const { types } = require('node:util');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

// Jest gives every test file modules of its own: two thousand, which takes longer than the tests. Here, the files of a worker share
// everything but the tests and their helpers: the packages, and the built gateway (jest-resolver.cjs), which keep no state
// that one test could leave to another. Node.js itself loads them, as in production.

/** True for what Jest loads anew for each test file. */
const isTestCode = (file) => file.endsWith('.ts');

/** A module that gives a test what Node.js has loaded. */
function sharedModule(file) {
  const exported = require(file);
  const isEsm = types.isModuleNamespaceObject(exported);
  const hasNames =
    isEsm || (typeof exported === 'object' && exported !== null) || typeof exported === 'function';
  // The default export of a CommonJS module is all that it exports.
  const values = new Map(hasNames ? Object.entries(exported) : []);
  if (!isEsm) {
    values.set('default', exported);
  }
  const setAll = function () {
    values.forEach((value, name) => void this.setExport(name, value));
  };
  return new vm.SyntheticModule([...values.keys()], setAll, { identifier: file });
}

/** Compiled modules of Jest by file. */
const scripts = new Map();

const HEAD = '(function (exports, require, module, __filename, __dirname) {';

function scriptOf(file) {
  const known = scripts.get(file);
  if (known) {
    return known;
  }
  const script = new vm.Script(`${HEAD}${readFileSync(file, 'utf8')}\n})`, {
    filename: file,
    columnOffset: -HEAD.length,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  scripts.set(file, script);
  return script;
}

/** The modules of Jest itself that run the tests. They keep state about a test file, so each file has its own. */
class RunnerModules {
  #resolve;
  #modules = new Map();
  #storages = [];
  #asyncHooks;

  constructor(resolve) {
    this.#resolve = resolve;
    const storages = this.#storages;
    const AsyncLocalStorage = class extends async_hooks.AsyncLocalStorage {
      constructor(...parts) {
        super(...parts);
        storages.push(this);
      }
    };
    this.#asyncHooks = { ...async_hooks, AsyncLocalStorage };
  }

  /**
   * Ends the storages of these modules. Node.js 20 copies the value of each one into each promise and callback of the process: those
   * of a hundred earlier test files would take a third of a worker's time.
   */
  disableStorages() {
    for (const storage of this.#storages) {
      storage.disable();
    }
  }

  /** Returns the exports of a file. A module that is still loading is returned as far as it is, as in Node. */
  load(file) {
    const known = this.#modules.get(file);
    if (known) {
      return known.exports;
    }
    if (path.extname(file) !== '.js') {
      return require(file);
    }
    const module = { id: file, filename: file, exports: {}, require: this.#requireOf(file) };
    this.#modules.set(file, module);
    const run = scriptOf(file).runInThisContext();
    run.call(module.exports, module.exports, module.require, module, file, path.dirname(file));
    return module.exports;
  }

  #requireOf(from) {
    const resolve = (request) => this.#resolve(from, request);
    const requireFrom = (request) => {
      if (isBuiltin(request)) {
        return request === 'node:async_hooks' ? this.#asyncHooks : require(request);
      }
      return this.load(resolve(request));
    };
    return Object.assign(requireFrom, { resolve });
  }
}

module.exports = class TestRuntime extends Runtime {
  static RunnerModules = RunnerModules;

  #runnerModules = new RunnerModules((from, request) => this._resolution.resolveCjs(from, request));

  constructor(...parts) {
    super(...parts);
    // The realm of Node.js (jest-environment.cjs) needs no context.
    this.esmLoader.getContext = () => undefined;
    this.esmLoader.pendingCjsBuildIsUnmarkedEsm = () => false;
    this.esmLoader.buildCjsAsEsmSyntheticModule = (_from, file) => sharedModule(file);
  }

  /** Called after each test file. */
  teardown() {
    super.teardown();
    this.#runnerModules.disableStorages();
  }

  /** Jest asks this of each file that a test imports. For the others, it calls `buildCjsAsEsmSyntheticModule`. */
  unstable_shouldLoadAsEsm(file) {
    return isTestCode(file);
  }

  /** Called for each `require` of a test. */
  requireModuleOrMock(from, request) {
    const file = isBuiltin(request) ? request : this._resolution.resolveCjs(from, request);
    return isTestCode(file) ? super.requireModuleOrMock(from, request) : require(file);
  }

  /** Called for each module of the runner. */
  requireInternalModule(from, request) {
    return this.#runnerModules.load(
      request === undefined ? from : this._resolution.resolveCjs(from, request),
    );
  }
};
