const { existsSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../..');
const SOURCE = /^((?:packages\/[^/]+\/)?)src\/(.*)\.ts$/;

/** Finds the file of an import. A source of the gateway or of a package stands for what the build has made of it. */
module.exports = (request, options) => {
  const file = options.defaultResolver(request, options);
  const [, folder, name] = SOURCE.exec(path.relative(ROOT, file).replaceAll(path.sep, '/')) ?? [];
  if (name === undefined) {
    return file;
  }
  const built = path.join(ROOT, folder, 'dist', `${name}.js`);
  if (!existsSync(built)) {
    throw new Error(`${built} is missing: run "npm run build"`);
  }
  return built;
};
