import { readFile } from 'node:fs/promises';
import { authenticated } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

const RECIPES = [
  'nginx/forward-auth/appointments.conf',
  'caddy/forward-auth.Caddyfile',
  'traefik/forward-auth.yaml',
  'envoy/forward-auth.yaml',
];

/** How often a recipe names a header of the gateway: in full, as a variable of nginx, and as an end for Caddy. */
const mentionsIn = (recipe: string, name: string): number =>
  recipe.match(new RegExp(`(?:x[-_]auth[-_]|-\\*)${name}\\b`, 'gi'))?.length ?? 0;

// A header that a recipe copies, but does not remove from what comes in, is the caller's where the gateway sends none.
test('each recipe removes and copies every header that the gateway sends', async () => {
  const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  const { headers } = await send(`${app.url}/forward-auth`, { headers: bearer(token) });
  const names = [...headers.keys()].flatMap((name) => /^x-auth-(.*)$/.exec(name)?.[1] ?? []);
  expect(names.sort()).toEqual(['abilities', 'account', 'acr', 'role', 'verification']);
  const recipes = await Promise.all(RECIPES.map((file) => readFile(`deploy/${file}`, 'utf8')));
  const mentions = recipes
    .map((recipe) => recipe.replace(/^ *#.*$/gm, ''))
    .map((recipe) => names.map((name) => mentionsIn(recipe, name)));
  expect(mentions).toEqual([
    [2, 2, 2, 2, 2],
    [3, 3, 3, 3, 3],
    [3, 3, 3, 3, 3],
    [2, 2, 2, 2, 2],
  ]);
});
