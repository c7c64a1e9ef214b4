import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
import { useTestApp } from '../../support/test-app.ts';

/** What the examples of the README import, as its section "Supported versions" says. */
const FRAMEWORKS = [
  ...['express@5', 'fastify@5', '@apollo/server@5', 'graphql@16', 'graphql-yoga@5'],
  ...['hono@4', '@hono/node-server@2', 'koa@3', 'reflect-metadata@0.2', 'rxjs@7'],
  ...['@nestjs/common@12', '@nestjs/core@12', '@nestjs/platform-express@12'],
];
const REST = ['Express', 'Fastify', 'Hono', 'Koa', 'NestJS'];
const INSTALL_MILLIS = 600_000;

const app = useTestApp(SERVICES);
let project: string;
beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'auth-gateway-consumer-'));
  await cp(path.join(ROOT, 'packages/guard/tests/consumer/frameworks'), project, { recursive: true });
  const tarballs = await pack(project, 'packages/guard');
  await install(project, ...FRAMEWORKS, ...tarballs.map(({ file }) => file));
}, INSTALL_MILLIS);
afterAll(async () => {
  await stopServices();
  await rm(project, { recursive: true, force: true });
});

const nowhere = async () => `http://127.0.0.1:${await freePort()}`;

test.each(REST)('the guard keeps the door of a service with %s', async (framework) => {
  await expectRestIsGuarded(await startExample(project, framework, app.url), app.url);
});

test.each(REST)('a service with %s is closed while the gateway is unreachable', async (framework) => {
  await expectRestIsClosed(await startExample(project, framework, await nowhere()));
});

test.each(['Apollo Server', 'GraphQL Yoga'])(
  'the guard keeps the door of a service with %s',
  async (framework) => {
    await expectGraphqlIsGuarded(await startExample(project, framework, app.url), app.url);
  },
);

test.each(['Apollo Server', 'GraphQL Yoga'])(
  'a service with %s is closed while the gateway is unreachable',
  async (framework) => {
    await expectGraphqlIsClosed(await startExample(project, framework, await nowhere()));
  },
);

test('strict programs compile with the types of Fastify, Apollo Server and GraphQL Yoga', async () => {
  await runIn(project, path.join(ROOT, 'node_modules/.bin/tsc'), '--project', '.');
});
