import { readdirSync, readFileSync } from 'node:fs';
import { useWorkshop } from '../support/gateway-process.ts';

const workshop = useWorkshop();

/** By how much each thread of a process stands back (proc_pid_stat(5), field 19). */
const nicenessOf = (pid: number): Map<number, number> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const [, fields = ''] = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(/\) /);
      return [Number(thread), Number(fields.split(' ')[16])];
    }),
  );

test('the main thread and the embedded database have priority over the hashing threads', async () => {
  const gateway = workshop.start({ MONGODB_URI: undefined });
  await gateway.url();
  const { [gateway.pid]: main, ...others } = Object.fromEntries(nicenessOf(gateway.pid));
  expect(main).toBe(0);
  // As many as hash and read files, at least; those of the database came later.
  expect(Object.values(others).filter((niceness) => niceness > 0).length).toBeGreaterThanOrEqual(4);
  expect(Object.values(others)).toContain(0);
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
});
