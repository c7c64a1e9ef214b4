const { readFileSync } = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

// Every test file has modules of its own, so Jest reads, resolves and compiles a thousand files of third-party packages
// for each. Here a worker does that once. Each test file still evaluates the packages anew, in its own realm: test files
// share compiled code, but no state.

/** Compiled modules by file. */
const scripts = new Map();
/** Files by requiring folder and request. */
const files = new Map();

const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const IN_PACKAGE = `${path.sep}node_modules${path.sep}`;

/** Returns the value of `map` at `key`; the first call makes it. */
function remembered(map, key, make) {
  if (!map.has(key)) {
    map.set(key, make());
  }
  return map.get(key);
}

function compile(file) {
  const source = readFileSync(file, 'utf8').replace(/^#!.*/, '');
  return new vm.Script(`${HEAD}${source}\n})`, {
    filename: file,
    columnOffset: -HEAD.length,
    // Packages import built-in modules this way, and those are the same in every realm.
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

/** The CommonJS modules of third-party packages, as one test file uses them. */
class Packages {
  #environment;
  #resolver;
  #modules = new Map();

  constructor(environment, resolver) {
    this.#environment = environment;
    this.#resolver = resolver;
  }

  /** Returns the exports of a file. A module that is still loading is returned as far as it is, as in Node. */
  load(file) {
    const known = this.#modules.get(file);
    if (known) {
      return known.exports;
    }
    const { global } = this.#environment;
    const require = this.#requireOf(file);
    const module = { id: file, filename: file, loaded: false, exports: new global.Object(), require };
    this.#modules.set(file, module);
    try {
      this.#evaluate(module);
    } catch (error) {
      this.#modules.delete(file);
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  #evaluate(module) {
    const { filename } = module;
    const extension = path.extname(filename);
    if (extension === '.node') {
      module.exports = require(filename);
    } else if (extension === '.json') {
      module.exports = this.#environment.global.JSON.parse(readFileSync(filename, 'utf8'));
    } else {
      const script = remembered(scripts, filename, () => compile(filename));
      const run = script.runInContext(this.#environment.getVmContext());
      run.call(module.exports, module.exports, module.require, module, filename, path.dirname(filename));
    }
  }

  #requireOf(from) {
    const requireFrom = (request) => {
      // Jest gives each test file a `process` of its own.
      if (/^(node:)?process$/.test(request)) {
        return this.#environment.global.process;
      }
      return isBuiltin(request) ? require(request) : this.load(this.resolve(from, request));
    };
    return Object.assign(requireFrom, { resolve: (request) => this.resolve(from, request) });
  }

  /** Returns the file that a request stands for; a built-in module stands for itself. */
  resolve(from, request) {
    if (isBuiltin(request)) {
      return request;
    }
    const conditions = ['require', 'default', ...this.#environment.exportConditions()];
    return remembered(files, `${path.dirname(from)}\n${request}`, () =>
      this.#resolver.resolveModule(from, request, { conditions }),
    );
  }
}

/** Jest's own module loader, but for the CommonJS modules of packages. Those cannot be mocked with `jest.mock`. */
module.exports = class extends Runtime {
  #packages;
  /** The modules of Jest itself that run in the realm of the tests. They share no state with those that tests import. */
  #jestPackages;

  constructor(config, environment, resolver, ...rest) {
    super(config, environment, resolver, ...rest);
    this.#packages = new Packages(environment, resolver);
    this.#jestPackages = new Packages(environment, resolver);
  }

  /** Called for each `require` outside of packages, and for each `import` of a CommonJS module, by its file. */
  requireModuleOrMock(from, request) {
    const file = this.#packages.resolve(from, request);
    return file.includes(IN_PACKAGE) ? this.#packages.load(file) : super.requireModuleOrMock(from, request);
  }

  /** Called for Jest's own modules. Jest would compile them anew for each test file. */
  requireInternalModule(from, request) {
    const file = request === undefined ? from : this.#jestPackages.resolve(from, request);
    return file.includes(IN_PACKAGE)
      ? this.#jestPackages.load(file)
      : super.requireInternalModule(from, request);
  }
};
