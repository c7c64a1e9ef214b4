import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runIn } from '../../support/consumer.ts';
import { eventually } from '../../support/eventually.ts';
import { send } from '../../support/http.ts';
import { freePort } from '../../support/listen.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { canRunSystemd, documentedLines, startSystemdMachine } from '../support/systemd-machine.ts';

const FILE = 'deploy/systemd/auth-gateway.service';
/** systemd-analyze calls up to 2.0 OK. What is left is the network, and what V8 and the priorities of threads need. */
const MAX_EXPOSURE = '15';

test('systemd accepts the unit, and finds little that an attacker could do with it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-unit-'));
  try {
    const unit = path.join(folder, path.basename(FILE));
    await writeFile(unit, (await readFile(FILE, 'utf8')).replace('/usr/bin/node', process.execPath));
    await copyFile('deploy/systemd/auth-gateway.env', path.join(folder, 'auth-gateway.env'));
    for (const name of ['auth-gateway-backup.service', 'auth-gateway-backup.timer']) {
      await copyFile(path.join('deploy/systemd', name), path.join(folder, name));
      const found = await runIn(folder, 'sh', '-c', `systemd-analyze verify --man=no ./${name} 2>&1`);
      expect(found).toBe('');
    }
    // It prints what it does not know, and continues.
    const complaints = await runIn(folder, 'sh', '-c', `systemd-analyze verify --man=no ${unit} 2>&1`);
    expect(complaints).toBe('');
    await runIn(folder, 'systemd-analyze', 'security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, unit);
  } finally {
    await rm(folder, { recursive: true });
  }
});

(canRunSystemd() ? test : test.skip)(
  'under systemd the gateway serves, is restarted after a crash, and stops, as a user who may do nothing else',
  async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      PORT: String(port),
      METRICS_PORT: String(await freePort()),
      BASE_URL: url,
      DOCUMENT_ACCESS: 'signed',
      DOCUMENT_URL_SECRET_FILE: 'secrets_document-url-secret',
    };
    const machine = await startSystemdMachine(settings, { 'document-url-secret': `${'x'.repeat(40)}\n` });
    /** What callers see while the documented commands replace the version: answers that are not 200, and the longest time without one. */
    const upgradeUnderLoad = async () => {
      const code = await documentedLines('docs/operations/upgrade.md', 'systemctl restart');
      let isOver = false;
      let [failed, lastAt, longestMillis] = [0, performance.now(), 0];
      const call = async () => {
        while (!isOver) {
          const isAnswered = await fetch(`${url}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          );
          const now = performance.now();
          failed += isAnswered ? 0 : 1;
          longestMillis = isAnswered ? Math.max(longestMillis, now - lastAt) : longestMillis;
          lastAt = isAnswered ? now : lastAt;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      const calling = call();
      await machine.type(code.replace(':4000/', `:${port}/`), '/opt/auth-gateway-2');
      await eventually(isReady, 100_000);
      isOver = true;
      await calling;
      process.stderr.write(
        `The upgrade: ${failed} failed requests, ${Math.round(longestMillis)} ms without an answer\n`,
      );
      expect(failed).toBeGreaterThan(0);
      expect(await machine.run('readlink', '-f', '/opt/auth-gateway')).toBe('/opt/auth-gateway-2\n');
    };
    const isReady = async () => expect((await fetch(`${url}/readyz`)).status).toBe(200);
    try {
      await eventually(isReady, 100_000);
      const registered = await restApi(url).registerDoctor(aDoctor());
      const licenseFileUrl = (registered.ok && registered.profile?.licenseFileUrl) || '';
      expect(licenseFileUrl).toContain('signature=');
      expect((await send(licenseFileUrl)).status).toBe(200);
      const status = await machine.gatewayStatus();
      expect(status.get('Uid')).not.toBe('0');
      expect(['CapBnd', 'NoNewPrivs', 'Seccomp'].map((name) => Number(status.get(name)))).toEqual([0, 1, 2]);

      const id = (registered.ok && registered.account?.id) || 'no account';
      const admin = (...words: string[]) => machine.run('auth-gateway', 'admin', ...words);
      const listAsAnna = () =>
        machine.run('env', 'SUDO_USER=anna', 'auth-gateway', 'admin', 'accounts', 'list', '--json');
      expect(await listAsAnna()).toContain(id);
      // Words are words: no shell reads them.
      const reason = 'Ann\'s "$(id)"; licence $HOME %h';
      await admin('doctors', 'reject', '--account', id, '--reason', reason);
      expect(await admin('doctors', 'show', '--account', id, '--json')).toContain(JSON.stringify(reason));
      await expect(machine.run('auth-gateway', 'start')).rejects.toThrow('systemctl start');
      await expect(admin('accounts', 'show', '--account', 'nobody')).rejects.toThrow(
        'No account has this id.',
      );

      await machine.run('systemctl', 'kill', '--signal=SIGKILL', 'auth-gateway');
      await eventually(isReady, 100_000);
      expect((await send(licenseFileUrl)).status).toBe(200);
      const show = async (properties: string) =>
        (await machine.run('systemctl', 'show', '-p', properties, 'auth-gateway')).trim().split('\n').sort();
      expect(await show('NRestarts')).toEqual(['NRestarts=1']);
      // A reload that comes too early for the gateway must not leave it stopped.
      await machine.run('systemctl', 'restart', 'auth-gateway');
      await machine.run('systemctl', 'reload', 'auth-gateway');
      await eventually(isReady, 100_000);
      await machine.run('systemctl', 'reload', 'auth-gateway');
      await machine.type(await documentedLines('docs/operations/backup.md', 'backups.conf'));
      await machine.type('echo BACKUP_DIR=/mnt/backups/auth-gateway >> /etc/auth-gateway/auth-gateway.env');
      await upgradeUnderLoad();
      await machine.type(
        await documentedLines('docs/operations/backup.md', 'auth-gateway-backup.timer /etc'),
      );
      await machine.run('systemctl', 'start', 'auth-gateway-backup');
      const copied = await machine.type('cd /mnt/backups/auth-gateway; ls; ls storage/licenses | wc -l');
      expect(copied).toMatch(/^\d{4}-\d\d-\d\dT\S+\nstorage\n1\n$/);
      await machine.type(
        'install -d -m 700 -o auth-gateway /srv/backups; echo BACKUP_DIR=/srv/backups >> /etc/auth-gateway/auth-gateway.env',
      );
      await expect(machine.run('auth-gateway', 'check', '--json')).rejects.toThrow(
        /BACKUP_DIR.{0,40}can only be read/,
      );
      await machine.run('systemctl', 'stop', 'auth-gateway');
      expect(await show('Result,ExecMainStatus')).toEqual(['ExecMainStatus=0', 'Result=success']);
      // The secrets of the unit exist while a command runs, too.
      expect(await listAsAnna()).toContain(id);
      expect(await machine.run('auth-gateway', 'sweep', '--dry-run')).toContain('Would remove: nothing');
      const events = (await admin('audit', '--json'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events).toContainEqual(
        expect.objectContaining({ act: 'reading', operator: 'anna', systemUser: 'auth-gateway' }),
      );
    } finally {
      await machine.stop();
    }
  },
  240_000,
);
