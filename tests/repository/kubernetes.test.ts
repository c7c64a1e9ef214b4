import { readdirSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { checkValues, type Manifest, unknownFields } from '../support/kubernetes.ts';

const FOLDER = 'deploy/kubernetes';
const read = (file: string): string => readFileSync(`${FOLDER}/${file}`, 'utf8');

interface Kustomization {
  resources: string[];
  images: { name: string; newTag: string }[];
  configMapGenerator: { name: string; literals: string[] }[];
}

/** The parts of a Deployment that the tests read. */
interface PodSpec {
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: Container[];
  volumes: { name: string; emptyDir?: { sizeLimit: string }; secret?: { secretName: string } }[];
}

interface Container {
  image: string;
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: object;
  livenessProbe: object;
  readinessProbe: object;
  lifecycle: { preStop: { exec: { command: string[] } } };
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: object;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}

const kustomization = parse(read('kustomization.yaml')) as Kustomization;
const manifests = kustomization.resources.flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest),
);
const LABELS = { 'app.kubernetes.io/name': 'auth-gateway' };

function specOf<Spec>(kind: string, name = 'auth-gateway'): Spec {
  const found = manifests.find(({ kind: its, metadata }) => its === kind && metadata.name === name);
  return found?.spec as Spec;
}

const { template } = specOf<{ template: { metadata: object; spec: PodSpec } }>('Deployment');
const pod = template.spec;
const [container] = pod.containers as [Container];
const literals = Object.fromEntries(
  (kustomization.configMapGenerator[0]?.literals ?? []).map((line) => line.split(/=(.*)/s).slice(0, 2)),
) as Record<string, string>;

/** The settings of a pod. The content of the secrets stands in for their files. */
const settings = readConfig({
  NODE_ENV: 'production',
  STORAGE_DIR: '/data/storage',
  ...literals,
  ...Object.fromEntries(
    container.env.map(({ name }) => [
      name.replace(/_FILE$/, ''),
      'mongodb://user:password@mongo.example.org/',
    ]),
  ),
});

test('kustomize uses every manifest, and the tag of the image is the version of the gateway', () => {
  const files = readdirSync(FOLDER).filter((file) => file !== 'kustomization.yaml');
  expect([...kustomization.resources].sort()).toEqual(files.sort());
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(kustomization.images).toMatchObject([{ name: container.image, newTag: version }]);
});

test('every manifest fits the published schemas of Kubernetes and has no field that it does not know', async () => {
  expect(manifests.length).toBe(8);
  for (const manifest of manifests) {
    expect(() => checkValues(manifest)).not.toThrow();
  }
  expect(await unknownFields(manifests)).toBe('');
});

test('a wrong value, a missing field and an unknown field are found', async () => {
  const service = manifests.find(({ kind }) => kind === 'Service') as Manifest;
  expect(() => checkValues({ ...service, spec: { ports: [{ port: 'http' }] } })).toThrow('port');
  expect(() => checkValues({ ...service, spec: { ports: [{ name: 'http' }] } })).toThrow('port');
  const misspelled = { ...service, spec: { ports: [{ port: 80, targetport: 'http' }] } };
  expect(await unknownFields([misspelled])).toContain('targetport');
});

test('the selectors of all manifests find the pods', () => {
  expect(template.metadata).toEqual({ labels: LABELS });
  const selectors = [
    specOf<{ selector: { matchLabels: object } }>('Deployment').selector.matchLabels,
    specOf<{ selector: { matchLabels: object } }>('PodDisruptionBudget').selector.matchLabels,
    specOf<{ podSelector: { matchLabels: object } }>('NetworkPolicy').podSelector.matchLabels,
    specOf<{ selector: object }>('Service').selector,
    specOf<{ selector: object }>('Service', 'auth-gateway-metrics').selector,
  ];
  expect(selectors).toEqual(selectors.map(() => LABELS));
  expect(specOf<{ scaleTargetRef: object }>('HorizontalPodAutoscaler').scaleTargetRef).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'auth-gateway',
  });
});

test('the ports are those of the gateway, and the Ingress leads to the one for callers alone', () => {
  expect(container.ports).toEqual([
    { name: 'http', containerPort: settings.port },
    { name: 'metrics', containerPort: settings.metricsPort },
  ]);
  const targets = ['auth-gateway', 'auth-gateway-metrics'].map(
    (name) => specOf<{ ports: { targetPort: string }[] }>('Service', name).ports,
  );
  expect(targets).toMatchObject([[{ targetPort: 'http' }], [{ targetPort: 'metrics' }]]);
  const types = manifests
    .filter(({ kind }) => kind === 'Service')
    .map(({ spec }) => (spec as { type?: string }).type);
  expect(types).toEqual([undefined, undefined]);
  const backends = [...JSON.stringify(specOf('Ingress')).matchAll(/"service":(\{.*?\}\})/g)].map(
    ([, text]) => text,
  );
  expect(backends).toEqual(['{"name":"auth-gateway","port":{"name":"http"}}']);
  const rules = specOf<{ ingress: { from: unknown; ports: { port: string }[] }[] }>('NetworkPolicy').ingress;
  const open = rules
    .filter(({ ports }) => ports.some(({ port }) => port === 'metrics'))
    .map(({ from }) => from);
  expect(open).toEqual([
    [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
  ]);
});

test('no namespace reaches the gateways that an administrator of the cluster has not named', () => {
  const { ingress } = specOf<{
    ingress: { from: { namespaceSelector?: { matchLabels?: object } }[] }[];
  }>('NetworkPolicy');
  const peers = ingress.flatMap(({ from }) => from);
  expect(peers).toHaveLength(3);
  for (const { namespaceSelector } of peers) {
    expect(Object.keys(namespaceSelector?.matchLabels ?? {})).toHaveLength(1);
  }
});

test('the probes ask what they are for', () => {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const probe = (path: string) => ({ httpGet: { path, port: 'http' } });
  expect([startupProbe, livenessProbe, readinessProbe]).toMatchObject([
    probe('/healthz'),
    probe('/healthz'),
    // Its answer may take a second.
    { ...probe('/readyz'), timeoutSeconds: 2 },
  ]);
});

test('a pod has the rights of the restricted standard, and cannot write to its image', () => {
  expect(pod.automountServiceAccountToken).toBe(false);
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    runAsUser: 1000,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const writable = container.volumeMounts.filter(({ readOnly }) => !readOnly);
  expect(writable).toEqual([{ name: 'data', mountPath: '/data' }]);
  expect(settings.storageDir.startsWith('/data/')).toBe(true);
});

test('a pod has time to stop, and room for its uploads', () => {
  const [sleep, pause] = container.lifecycle.preStop.exec.command;
  expect(sleep).toBe('sleep');
  const stopSeconds = Number(pause) + settings.stopGraceMillis / 1000 + 4;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds);
  expect(pod.volumes[0]).toEqual({ name: 'data', emptyDir: { sizeLimit: '1Gi' } });
  expect(settings.uploadCapacity.all.bytes).toBeLessThanOrEqual(2 ** 29);
  const { requests, limits } = container.resources;
  expect(Object.keys(limits).sort()).toEqual(Object.keys(requests).sort());
  expect(Number(literals.UV_THREADPOOL_SIZE)).toBe(Number(limits.cpu) + 2);
});

test('secrets are in files that no manifest contains', () => {
  expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  const files = container.env.map(({ name, value }) => [name, value.replace(/\/[^/]*$/, '')]);
  expect(files).toEqual(container.env.map(({ name }) => [name, '/run/secrets/auth-gateway']));
  expect(
    container.env.every(({ name, value }) => name.endsWith('_FILE') && value.endsWith(name.slice(0, -5))),
  ).toBe(true);
  expect(Object.keys(literals).filter((key) => /URI|SECRET|SMTP_URL|CLIENTS|HEADERS/.test(key))).toEqual([]);
});

test('the monitor of the Prometheus Operator finds the pods, and gives them the job of the alerts', () => {
  const { spec } = parse(readFileSync('deploy/prometheus/pod-monitor.yaml', 'utf8')) as {
    spec: { selector: { matchLabels: object }; jobLabel: string; podMetricsEndpoints: { port: string }[] };
  };
  expect(template.metadata).toMatchObject({ labels: spec.selector.matchLabels });
  expect(spec.selector.matchLabels).toEqual(LABELS);
  expect(spec.jobLabel in LABELS).toBe(true);
  expect(container.ports.map(({ name }) => name)).toEqual(
    expect.arrayContaining(spec.podMetricsEndpoints.map(({ port }) => port)),
  );
});
