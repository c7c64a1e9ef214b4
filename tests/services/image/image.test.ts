import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { watch } from '../../support/gateway-process.ts';
import { send, sendJson } from '../../support/http.ts';
import { aPatient } from '../../support/people.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { isInstalled } from '../support/programs.mjs';
import { buildImage } from './dockerfile.ts';

/** npm removes a few hundred packages, which takes long on a busy machine. */
const BUILD_MILLIS = 600_000;

const folder = temporaryFolder();
test(
  'a gateway in production starts from what the Dockerfile puts into the image, registers an account and logs it in',
  async () => {
    const image = await buildImage(folder);
    const env = {
      ...image.env,
      PATH: process.env.PATH,
      PORT: '0',
      HOST: '127.0.0.1',
      BASE_URL: 'https://auth.example.org',
      EMBEDDED_DATABASE: 'allow',
      PAGES: 'on',
      STORAGE_DIR: path.join(folder, 'storage'),
      DATA_DIR: path.join(folder, 'database'),
    };
    const entrypoint = isInstalled('tini') ? image.entrypoint : [];
    const [program = '', ...words] = [...entrypoint, ...image.command];
    const gateway = watch(spawn(program, words, { cwd: image.folder, env }));
    const address = await gateway.address();
    const auth = `${address}/api/v1/auth`;
    const { name, email, password } = aPatient();
    const registered = await sendJson(`${auth}/register/patient`, JSON.stringify({ name, email, password }));
    const loggedIn = await sendJson(`${auth}/login`, JSON.stringify({ email, password }));
    const pages = await Promise.all(['/', '/docs'].map((page) => send(`${address}${page}`)));
    const [, script = ''] = /<script src="([^"]+)"/.exec(pages[1]?.text ?? '') ?? [];
    pages.push(await send(`${address}/${script}`));
    // It refuses only because it is not told where the legacy database is: its driver is there.
    const move = watch(
      spawn(program, [...words.slice(0, -1), 'dist/auth-gateway.js', 'legacy', 'inspect'], {
        cwd: image.folder,
        env,
      }),
    );
    expect([await move.exitCode(), move.stderr]).toEqual([2, expect.stringContaining('LEGACY_DATABASE_URL')]);
    // Pods of EKS and containers of ECS have roles.
    expect(existsSync(path.join(image.folder, 'node_modules/@aws-sdk/credential-provider-node'))).toBe(true);
    gateway.signal('SIGTERM');
    expect([registered.status, loggedIn.status, await gateway.exitCode()]).toEqual([201, 200, 0]);
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(image.entrypoint).toEqual(['/usr/bin/tini', '--']);
    expect(image.labels).toMatchObject({
      'org.opencontainers.image.title': 'auth-gateway',
      'org.opencontainers.image.licenses': 'MIT',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the Dockerfile
      'org.opencontainers.image.version': '${VERSION}',
    });
  },
  BUILD_MILLIS,
);
