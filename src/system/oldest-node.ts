/** `engines` of package.json. */
const [MAJOR, MINOR] = [20, 19];
export const OLDEST_NODE = `${MAJOR}.${MINOR}`;

/** @param version without a `v` */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MAJOR || (major === MAJOR && minor < MINOR);
}

// The programs import this module before all others: an older Node.js fails in these, with a stack.
if (isTooOld(process.versions.node)) {
  process.stderr.write(
    `auth-gateway: Node.js ${process.versions.node} is too old. Install ${OLDEST_NODE} or later, best 24.\n`,
  );
  process.exit(1);
}
