import type { ChildProcess } from 'node:child_process';

export function findMongod(): Promise<string | undefined>;
export function testsLeftOut(): Promise<{ files: string[]; tests: number }>;
export function startMongod(server: {
  mongod: string;
  port: number;
  folder: string;
  options?: string[];
}): Promise<ChildProcess>;
