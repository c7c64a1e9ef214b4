import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { authenticated } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { APPOINTMENTS, ask, basic, clientEntry } from '../support/services.ts';
import { writeTerminalProgram } from '../support/terminal-program.ts';

const workshop = useWorkshop();

test('SIGHUP reads the secrets again, again and again, and no request fails meanwhile', async () => {
  const file = path.join(workshop.folder, 'clients');
  const other = { id: 'other', secret: 'other-secret-of-forty-characters-or-more' };
  await writeFile(file, clientEntry(APPOINTMENTS));
  const gateway = workshop.start({ INTROSPECTION_CLIENTS_FILE: file });
  const url = await gateway.url();
  const statuses = new Set<number>();
  let isOver = false;
  const asking = [1, 2].map(async () => {
    while (!isOver) {
      statuses.add((await ask(url, 'token=unknown')).status);
    }
  });
  const reloads = () => gateway.stdout.split('were read again').length - 1;
  for (let reload = 1; reload <= 4; reload += 1) {
    const entries = reload % 2 === 0 ? [APPOINTMENTS] : [APPOINTMENTS, other];
    await writeFile(file, entries.map(clientEntry).join('\n'));
    gateway.signal('SIGHUP');
    await eventually(async () => expect(reloads()).toBe(reload));
    const { status } = await ask(url, 'token=unknown', basic(other.id, other.secret));
    expect(status).toBe(entries.includes(other) ? 200 : 401);
  }
  isOver = true;
  await Promise.all(asking);
  expect([...statuses]).toEqual([200]);

  await rm(file);
  gateway.signal('SIGHUP');
  await gateway.printed('no secret has changed');
  expect((await ask(url, 'token=unknown')).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.stderr).toBe('');
});

test('the end of the terminal stops the gateway, which leaves nothing behind', async () => {
  const program = await writeTerminalProgram(workshop.folder, 'SIGKILL');
  const TMPDIR = path.join(workshop.folder, 'temporary');
  await mkdir(TMPDIR);
  const inMemory = { MONGODB_URI: undefined, STORAGE_DIR: undefined, DATA_DIR: ':memory:', TMPDIR };
  const terminal = workshop.start({ NODE_ENV: undefined, NO_COLOR: '1', ...inMemory }, program);
  await terminal.printed('Documents');
  const url = /GraphQL +(http\S+)\/graphql/.exec(terminal.stdout)?.[1] ?? '';
  authenticated(await restApi(url).registerPatient(aPatient()));
  expect(await readdir(TMPDIR)).toHaveLength(1);
  terminal.signal('SIGTERM');
  // Only a stop removes the documents of a gateway in memory.
  await eventually(async () => expect(await readdir(TMPDIR)).toEqual([]));
  expect(await terminal.exitCode()).toBe(0);
});
