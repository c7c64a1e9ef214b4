import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

const ROOT = path.resolve(import.meta.dirname, '../..');

const ICON = readFileSync(path.join(ROOT, 'pages/shared/favicon.svg')).toString('base64');

/** A page by its file, from the root of the repository. */
const page = (text: string, file: string) => ({ text, link: `/${file.replace(/\.md$/, '')}` });

/** By reader. */
const SIDEBAR = [
  { text: 'What it is', link: '/' },
  {
    text: 'Calling the API',
    items: [
      page('REST', 'docs/rest.md'),
      page('The REST contract', 'docs/contract.md'),
      page('GraphQL', 'docs/graphql.md'),
      page('Services and proxies behind the gateway', 'docs/behind-the-gateway.md'),
      page('Events: feed and webhooks', 'docs/events.md'),
      page('Guard for Node.js', 'packages/guard/README.md'),
      page('Example service', 'examples/appointments/README.md'),
      page('A gateway for tests', 'packages/testing/README.md'),
    ],
  },
  {
    text: 'Building a page',
    items: [
      page('Which client to take', 'docs/client.md'),
      page('The typed client', 'packages/client/README.md'),
      page('Clients by library', 'examples/clients/README.md'),
      page('Example application', 'examples/web/README.md'),
      page('Servers that render pages', 'docs/web-servers.md'),
      page('Next.js', 'docs/web-servers/next.md'),
      page('React Router', 'docs/web-servers/react-router.md'),
      page('SvelteKit', 'docs/web-servers/sveltekit.md'),
      page('Nuxt', 'docs/web-servers/nuxt.md'),
    ],
  },
  {
    text: 'Running it',
    collapsed: true,
    items: [
      page('Overview', 'docs/operations.md'),
      page('From npm', 'docs/npm.md'),
      page('Settings', 'docs/settings.md'),
      ...operations('install', 'check', 'daily', 'admin', 'accounts', 'console', 'documents', 'database'),
      ...operations('backup', 'people', 'mail', 'second-factor', 'passkeys'),
      ...operations('secrets', 'proxy', 'monitoring'),
      ...operations('runbook', 'audit-trail', 'personal-data', 'upgrade'),
      page('Performance', 'docs/performance.md'),
      page('Files for deployment', 'deploy/README.md'),
      page('Changelog', 'CHANGELOG.md'),
    ],
  },
  {
    text: 'Reviewing doctors, and using it',
    collapsed: true,
    items: [
      page('Reviewers', 'docs/people/reviewers.md'),
      page('Prüferinnen und Prüfer', 'docs/people/reviewers.de.md'),
      page('Patients and doctors', 'docs/people/patients-and-doctors.md'),
      page('Patienten und Ärzte', 'docs/people/patients-and-doctors.de.md'),
    ],
  },
  {
    text: 'Moving in',
    collapsed: true,
    items: [
      page('The move', 'docs/migration.md'),
      page('The way back', 'docs/migration/way-back.md'),
      page('What callers notice', 'docs/migration/differences.md'),
    ],
  },
  {
    text: 'Changing it',
    collapsed: true,
    items: [
      page('Contributing', 'CONTRIBUTING.md'),
      page('Architecture', 'docs/architecture.md'),
      page('Decisions and hazards', 'docs/decisions.md'),
      page('Security', 'docs/security.md'),
      page('Reporting a vulnerability', 'SECURITY.md'),
      page('The embedded database', 'packages/embedded-mongo/README.md'),
      page('Benchmarks', 'bench/README.md'),
    ],
  },
];

function operations(...names: string[]) {
  return names.map((name) => page(nameOf(name), `docs/operations/${name}.md`));
}

function nameOf(file: string): string {
  const words = file.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A link to a file of the repository that is no page: its reader finds it there. One that leads nowhere fails the build.
 * @param link as it is written
 * @param from the page, from the root
 */
function isInRepository(link: string, from: string): boolean {
  const target = path.resolve(ROOT, path.dirname(from), decodeURI(link.replace(/[?#].*$/, '')));
  return existsSync(target) && (statSync(target).isDirectory() || !target.endsWith('.md'));
}

export default defineConfig({
  srcDir: '..',
  srcExclude: ['**/node_modules/**', 'storage/**', 'tests/**', 'dist/**', 'release/**'],
  base: '/manual/',
  title: 'auth-gateway',
  description: 'Registration and login for doctors and patients.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml;base64,${ICON}` }]],
  // Otherwise its script would add a style that the policy of the page refuses.
  appearance: { disableTransition: false },
  // The start page.
  rewrites: { 'README.md': 'index.md' },
  markdown: {
    languageAlias: { caddyfile: 'nginx' },
    config(md) {
      // A file that is no page is named, and not linked: the manual may be read far from the repository.
      const render =
        md.renderer.rules.link_open ??
        ((tokens, index, options, _env, self) => self.renderToken(tokens, index, options));
      md.renderer.rules.link_open = (tokens, index, options, env, self) => {
        const href = tokens[index]?.attrGet('href') ?? '';
        if (!/^(?:[a-z]+:|#|\/)/i.test(href) && isInRepository(href, env.relativePath ?? '')) {
          tokens[index]?.attrSet('href', '');
          return '<span class="file">';
        }
        return render(tokens, index, options, env, self);
      };
      const close = md.renderer.rules.link_close;
      md.renderer.rules.link_close = (tokens, index, options, env, self) => {
        const open = tokens.slice(0, index).findLast(({ type }) => type === 'link_open');
        return open?.attrGet('href') === ''
          ? '</span>'
          : (close?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options));
      };
    },
  },
  themeConfig: {
    nav: [
      { text: 'Clients', link: '/docs/client' },
      { text: 'Services', link: '/docs/behind-the-gateway' },
      { text: 'Operation', link: '/docs/operations' },
    ],
    sidebar: SIDEBAR,
    outline: [2, 3],
    search: { provider: 'local' },
  },
  metaChunk: true,
});
