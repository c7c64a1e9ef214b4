/** `engines` of package.json. */
export const OLDEST_NODE = '20.19';

/** @param version without a `v` */
export function isTooOld(version: string): boolean {
  const [oldest, given] = [OLDEST_NODE, version].map((each) => each.split('.').slice(0, 2).map(Number));
  const [major = 0, minor = 0] = given ?? [];
  const [oldestMajor = 0, oldestMinor = 0] = oldest ?? [];
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

// The programs import this module before all others: an older Node.js fails in these, with a stack.
if (isTooOld(process.versions.node)) {
  process.stderr.write(
    `auth-gateway: Node.js ${process.versions.node} is too old. Install ${OLDEST_NODE} or later, best 24.\n`,
  );
  process.exit(1);
}
