import type { Writable } from 'node:stream';

/** The outputs of a program, as a process has them. */
export interface Outputs {
  stdout: Writable;
  stderr: Writable;
}
