import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../support/eventually.ts';
import { watch } from '../../support/gateway-process.ts';

const PROGRAM = fileURLToPath(new URL('./idle-clients.mjs', import.meta.url));

/** Of one address: a system has ports for some twenty-eight thousand, and a process may have few descriptors. */
const PER_ADDRESS = 2_500;

/** Thousands of connections take about eight seconds on an idle machine. */
const OPENING_TIMEOUT_MILLIS = 120_000;

/** Connections without traffic. */
export interface IdleConnections {
  /** Waits until all are open, or refused. */
  opened(): Promise<number>;
  /** Waits until the other side has closed all of them. */
  closed(): Promise<void>;
}

/** Opens idle connections from several processes, each with another loopback address. */
export function openIdleConnections(url: string, count: number): IdleConnections {
  const { hostname, port } = new URL(url);
  const clients = Array.from({ length: Math.ceil(count / PER_ADDRESS) }, (_, index) => {
    const share = Math.min(PER_ADDRESS, count - index * PER_ADDRESS);
    const child = spawn(process.execPath, [PROGRAM, hostname, port, `127.0.0.${index + 2}`, String(share)]);
    return { output: watch(child), ended: once(child, 'close') };
  });
  const countOf = (stdout: string) => Number(/^open (\d+)$/m.exec(stdout)?.[1]);
  return {
    opened: async () => {
      await eventually(
        () => expect(clients.every(({ output }) => output.stdout.includes('open'))).toBe(true),
        OPENING_TIMEOUT_MILLIS,
      );
      return clients.reduce((sum, { output }) => sum + countOf(output.stdout), 0);
    },
    closed: async () => void (await Promise.all(clients.map(({ ended }) => ended))),
  };
}
