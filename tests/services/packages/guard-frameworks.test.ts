import { cp } from 'node:fs/promises';
import path from 'node:path';
import {
  expectGraphqlIsClosed,
  expectGraphqlIsGuarded,
  expectRestIsClosed,
  expectRestIsGuarded,
  startExample,
  stopServices,
} from '../../../packages/guard/tests/support/readme-services.ts';
import { install, pack, ROOT, runIn } from '../../support/consumer.ts';
import { freePort } from '../../support/listen.ts';
import { SERVICES } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useTestApp } from '../../support/test-app.ts';

/** What the examples of the README import, as its section "Supported versions" says. */
const FRAMEWORKS = [
  ...['express@5', 'fastify@5', '@apollo/server@5', 'graphql@16', 'graphql-yoga@5'],
  ...['hono@4', '@hono/node-server@2', 'koa@3', 'reflect-metadata@0.2', 'rxjs@7'],
  ...['@nestjs/common@12', '@nestjs/core@12', '@nestjs/platform-express@12'],
];
const REST = ['Express', 'Fastify', 'Hono', 'Koa', 'NestJS'];
const GRAPHQL = ['Apollo Server', 'GraphQL Yoga'];
const INSTALL_MILLIS = 600_000;

const app = useTestApp(SERVICES);
const project = temporaryFolder();
beforeAll(async () => {
  await cp(path.join(ROOT, 'packages/guard/tests/consumer/frameworks'), project, { recursive: true });
  const tarballs = await pack(project, 'packages/guard');
  await install(project, ...FRAMEWORKS, ...tarballs.map(({ file }) => file));
}, INSTALL_MILLIS);
afterAll(() => stopServices());

const nowhere = async () => `http://127.0.0.1:${await freePort()}`;

test.each(REST)(
  'a service with %s is guarded, and closed while the gateway is unreachable',
  async (framework) => {
    await expectRestIsGuarded(await startExample(project, framework, app.url), app.url);
    await expectRestIsClosed(await startExample(project, framework, await nowhere()));
  },
);

test.each(GRAPHQL)(
  'a service with %s is guarded, and closed while the gateway is unreachable',
  async (framework) => {
    await expectGraphqlIsGuarded(await startExample(project, framework, app.url), app.url);
    await expectGraphqlIsClosed(await startExample(project, framework, await nowhere()));
  },
);

test('strict programs compile with the types of Fastify, Apollo Server and GraphQL Yoga', async () => {
  await runIn(project, path.join(ROOT, 'node_modules/.bin/tsc'), '--project', '.');
});
