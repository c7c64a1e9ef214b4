import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { useWorkshop } from '../support/gateway-process.ts';

const workshop = useWorkshop();

interface Thread {
  id: number;
  name: string;
  /** By how much it stands back (proc_pid_stat(5), field 19). */
  niceness: number;
}

const threadsOf = (pid: number): Thread[] =>
  readdirSync(`/proc/${pid}/task`).map((id) => {
    const [, name = '', fields = ''] =
      /\((.*)\) (.*)/.exec(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')) ?? [];
    return { id: Number(id), name, niceness: Number(fields.split(' ')[16]) };
  });

test('the main thread and the embedded database have priority over the hashing threads', async () => {
  const gateway = workshop.start({ MONGODB_URI: undefined });
  await gateway.url();
  const threads = threadsOf(gateway.pid);
  // The tests themselves may run with `nice`.
  const own = getPriority();
  expect(threads.find(({ id }) => id === gateway.pid)?.niceness).toBe(own);
  const others = threads.filter(({ id }) => id !== gateway.pid);
  expect(others.map(({ niceness }) => niceness)).toContain(own);
  // Before Node 24 they have no names.
  const named = others.filter(({ name }) => name === 'libuv-worker');
  const lower = others.filter(({ niceness }) => niceness > own);
  expect(lower.length).toBeGreaterThanOrEqual(4);
  if (named.length > 0) {
    expect(lower).toEqual(named);
  }
  expect(await gateway.stop()).toBe(0);
});
