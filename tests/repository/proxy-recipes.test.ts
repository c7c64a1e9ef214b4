import { readFileSync } from 'node:fs';

/** The addresses of operators, which only given networks reach. tests/services/deploy/proxies.test.ts runs the proxies. */
test('nginx and Caddy keep everybody but the networks of operators from the console and its API', () => {
  const nginx = readFileSync('deploy/nginx/auth-gateway.conf', 'utf8');
  const [, pattern = '', block = ''] = /location ~ (\^\S+operators\S+) \{([^}]+)\}/.exec(nginx) ?? [];
  for (const path of ['/console', '/operators/graphql']) {
    expect(path).toMatch(new RegExp(pattern));
  }
  expect('/graphql').not.toMatch(new RegExp(pattern));
  expect(block).toMatch(/allow 127\.0\.0\.1;\s+allow ::1;\s+deny all;/);
  const caddy = readFileSync('deploy/caddy/Caddyfile', 'utf8');
  expect(caddy).toMatch(
    /@others \{\s+path \/console \/operators\/\*\s+not remote_ip \{\$OPERATOR_NETWORKS:127\.0\.0\.1\/32 ::1\/128\}\s+\}/,
  );
  expect(caddy).toContain('respond @others');
});
