import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** An object of Kubernetes, as a manifest has it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  [field: string]: unknown;
}

const require = createRequire(import.meta.url);
const run = promisify(execFile);

const schemaOf = ({ apiVersion, kind }: Manifest): string => `kubernetes-models/${apiVersion}/${kind}`;

/** @throws if a field has a value that Kubernetes's published schema does not allow, or a required one is missing */
export function checkValues(manifest: Manifest): void {
  const module = require(schemaOf(manifest)) as Record<string, new (data: Manifest) => { validate(): void }>;
  const Model = module[manifest.kind];
  if (!Model) {
    throw new Error(`Kubernetes has no ${manifest.apiVersion} ${manifest.kind}`);
  }
  new Model(manifest).validate();
}

/**
 * The fields that Kubernetes does not know. Its schemas allow them, and the cluster may drop them without a word, so the
 * compiler looks for them: an object literal may have no property that its type does not have.
 * @returns the compiler's messages; empty if all fields are known
 */
export async function unknownFields(manifests: readonly Manifest[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-manifests-'));
  const lines = manifests.map(
    (manifest, index) =>
      `import type { I${manifest.kind} as Type${index} } from '${schemaOf(manifest)}';\n` +
      `export const manifest${index}: Type${index} = ${JSON.stringify(manifest, null, 1)};`,
  );
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{ "type": "commonjs" }');
  await writeFile(path.join(folder, 'manifests.ts'), lines.join('\n'));
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--types',
    '',
    '--module',
    'nodenext',
    '--pretty',
    'false',
  ];
  const compiler = path.resolve('node_modules/typescript/bin/tsc');
  try {
    await run(process.execPath, [compiler, ...options, 'manifests.ts'], { cwd: folder });
    return '';
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error);
  } finally {
    await rm(folder, { recursive: true });
  }
}
