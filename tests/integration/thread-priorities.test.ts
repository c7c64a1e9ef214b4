import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
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
  // The tests themselves may run with `nice`.
  const own = getPriority();
  expect(main).toBe(own);
  // As many as hash and read files, at least; those of the database came later.
  expect(Object.values(others).filter((niceness) => niceness > own).length).toBeGreaterThanOrEqual(4);
  expect(Object.values(others)).toContain(own);
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
});
