import { readFileSync } from 'node:fs';

interface LockedPackage {
  integrity?: string;
  resolved?: string;
  /** True for a workspace, whose files are in the repository. */
  link?: boolean;
  /** True for a package that only developers need. */
  dev?: boolean;
  /** The platforms that the package is for; undefined for all. */
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const FROM_REGISTRY = /^node_modules\/|\/node_modules\//;

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const downloaded = Object.entries(packages).filter(
  ([location, { link }]) => FROM_REGISTRY.test(location) && !link,
);

/** The locations of the packages that a test complains about. */
const locationsOf = (entries: typeof downloaded): string[] => entries.map(([location]) => location);

test('the lock file has the hash of every package, those of other platforms too', () => {
  expect(downloaded.length).toBeGreaterThan(500);
  const unhashed = downloaded.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(locationsOf(unhashed)).toEqual([]);
});

test('the lock file names no registry, so that every mirror can serve it', () => {
  expect(locationsOf(downloaded.filter(([, { resolved }]) => resolved !== undefined))).toEqual([]);
});

const isOfLinux = ({ os, cpu, libc }: LockedPackage): boolean =>
  [os ?? ['linux'], cpu ?? ['x64'], libc ?? ['glibc']].flat().join() === 'linux,x64,glibc';

test('an installation on Linux stays small', () => {
  const installed = downloaded.map(([, entry]) => entry).filter(isOfLinux);
  const inProduction = installed.filter(({ dev }) => !dev);
  expect(inProduction.length).toBeLessThanOrEqual(263);
  expect(installed.length).toBeLessThanOrEqual(830);
});
