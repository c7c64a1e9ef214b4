import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { admin } from '../../support/admin-command.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated } from '../../support/expectations.ts';
import { FEED, RECORDS } from '../../support/feed.ts';
import { aPatient } from '../../support/people.ts';
import { deleteAccount } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { REAL_TIME, useTestApp } from '../../support/test-app.ts';

// The receivers of examples/events, killed again and again while accounts change.
const app = useTestApp(FEED, undefined, ...REAL_TIME);
let folder: string;
let receiver: ChildProcess | undefined;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-receiver-'));
});
afterEach(async () => {
  await kill();
  await rm(folder, { recursive: true });
});

async function kill(): Promise<void> {
  if (receiver?.exitCode === null && receiver.signalCode === null) {
    const ended = new Promise((resolve) => receiver?.once('exit', resolve));
    receiver.kill('SIGKILL');
    await ended;
  }
}

const RECEIVERS = {
  'Node.js': {
    file: 'receiver.js',
    program: process.execPath,
    data: 'records.json',
    read: async (file: string) =>
      (JSON.parse(await readFile(file, 'utf8')) as { accounts: Record<string, string> }).accounts,
  },
  PHP: {
    file: 'receiver.php',
    program: 'php',
    data: 'records.sqlite',
    read: async (file: string) => {
      const code = `echo json_encode((new PDO('sqlite:${file}'))->query('SELECT id, state FROM accounts')->fetchAll(PDO::FETCH_KEY_PAIR) ?: new stdClass);`;
      const php = spawn('php', ['-r', code], { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      for await (const chunk of php.stdout) {
        text += chunk;
      }
      return JSON.parse(text) as Record<string, string>;
    },
  },
};

test.each(Object.keys(RECEIVERS) as (keyof typeof RECEIVERS)[])(
  'a receiver in %s misses nothing',
  async (name) => {
    const { file, program, data, read } = RECEIVERS[name];
    await cp(path.join('examples/events', file), path.join(folder, file));
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    const env = {
      PATH: process.env.PATH,
      ...{ GATEWAY: app.url, SERVICE: RECORDS.id, SECRET: RECORDS.secret, FILE: path.join(folder, data) },
    };
    const start = () => {
      receiver = spawn(program, [file], { cwd: folder, env, stdio: 'ignore' });
    };
    const states = () => read(path.join(folder, data)).catch(() => undefined);
    start();
    await eventually(async () => expect(await states()).toBeDefined());
    const people = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const person = aPatient();
        const { account, token } = authenticated(await restApi(app.url).registerPatient(person));
        return { id: String(account.id), token, password: person.password };
      }),
    );
    for (const [index, { id, token, password }] of people.entries()) {
      // A kill in the midst of everything.
      await new Promise((resolve) => setTimeout(resolve, randomInt(200)));
      await kill();
      start();
      if (index % 3 === 0) {
        await deleteAccount(app.url, token, password);
      }
      if (index % 6 === 0) {
        const settings = { MONGODB_URI: app.database.uri, STORAGE_DIR: app.storageDir };
        expect(await admin(settings, 'accounts', 'erase', '--id', id, '--now', '--yes')).toMatchObject({
          code: 0,
        });
      }
    }
    const expected = people.flatMap(({ id }, index) =>
      index % 6 === 0 ? [] : [[id, index % 3 === 0 ? 'closed' : 'active']],
    );
    await eventually(async () => expect(await states()).toEqual(Object.fromEntries(expected)));
    // Its place is gone: after a restore, or a long time.
    await kill();
    const events = app.database.db.collection('events');
    const newest = await events.findOne({}, { sort: { _id: -1 } });
    await events.deleteMany({ _id: { $ne: newest?._id } } as never);
    await events.updateOne({}, { $set: { event: 'that of an older database' } });
    await app.database.accounts.updateOne({ _id: people[1]?.id ?? '' }, { $set: { disabledAt: new Date() } });
    start();
    await eventually(async () => expect((await states())?.[people[1]?.id ?? '']).toBe('disabled'));
  },
);
