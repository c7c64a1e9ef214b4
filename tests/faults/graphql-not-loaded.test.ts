import { useWorkshop } from '../support/gateway-process.ts';

const workshop = useWorkshop();

/** Has one module fail to load, as when too many files are open just then, which cannot be timed. */
const HOOKS = `export async function load(url, context, next) {
  if (url.endsWith('/graphql-door.js')) throw new Error('EMFILE: too many open files');
  return next(url, context);
}`;
const dataUrl = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
const REGISTER = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(HOOKS))});`;

test('a gateway that cannot load its GraphQL API says so, and ends as a failure', async () => {
  const gateway = workshop.start({ NODE_OPTIONS: `--import=${dataUrl(REGISTER)}` });
  await gateway.url();
  expect(await gateway.exitCode()).toBe(1);
  expect(gateway.stderr).toMatch(/^auth-gateway: EMFILE: too many open files$/m);
  expect(gateway.stderr).not.toContain('    at ');
});
