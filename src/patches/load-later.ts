import Module from 'node:module';

/**
 * Lets a package in CommonJS be loaded when one of its functions is called, and not by the package that requires it. It has no
 * effect if the package is loaded already.
 * @param require of the package that requires it
 * @param name of the package
 * @param functionName all that the other package uses of it
 */
export function loadLater(require: NodeJS.Require, name: string, functionName: string): void {
  const file = require.resolve(name);
  if (require.cache[file]) {
    return;
  }
  const load = () => {
    delete require.cache[file];
    return require(file)[functionName] as (...args: unknown[]) => unknown;
  };
  let loaded: ReturnType<typeof load> | undefined;
  const standIn = new Module(file);
  standIn.loaded = true;
  standIn.exports = {
    [functionName]: (...args: unknown[]) => {
      loaded ??= load();
      return loaded(...args);
    },
  };
  require.cache[file] = standIn;
}
