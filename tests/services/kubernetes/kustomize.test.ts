import { execFileSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import { checkValues, type Manifest, unknownFields } from '../../support/kubernetes.ts';

// kubectl contains kustomize, and needs no cluster to show its result.
const rendered = execFileSync('kubectl', ['kustomize', 'deploy/kubernetes'], { encoding: 'utf8' });
const manifests = parseAllDocuments(rendered).map((document) => document.toJS() as Manifest);
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);

test('kustomize makes manifests that fit the schemas of Kubernetes, all in one namespace', async () => {
  expect(manifests).toHaveLength(9);
  for (const manifest of manifests) {
    expect(() => checkValues(manifest)).not.toThrow();
  }
  expect(await unknownFields(manifests)).toBe('');
  const [namespace] = ofKind('Namespace');
  const namespaces = manifests
    .filter((manifest) => manifest !== namespace)
    .map(({ metadata }) => metadata.namespace);
  expect(new Set(namespaces)).toEqual(new Set([namespace?.metadata.name]));
});

test('the pods take the image from your registry and the settings from the map, whose name changes with them', () => {
  const [deployment] = ofKind('Deployment');
  const [map] = ofKind('ConfigMap');
  expect(JSON.stringify(deployment)).toMatch(/"image":"registry\.example\.org\/auth-gateway:[\d.]+[^"]*"/);
  expect(map?.metadata.name).toMatch(/^auth-gateway-[a-z0-9]{10}$/);
  expect(JSON.stringify(deployment)).toContain(
    `"envFrom":[{"configMapRef":{"name":"${map?.metadata.name}"}}]`,
  );
  expect(map).toMatchObject({ data: { METRICS: 'on', STOP_GRACE_SECONDS: '10' } });
});
