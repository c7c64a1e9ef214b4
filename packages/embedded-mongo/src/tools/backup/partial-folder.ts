import { resolve } from 'node:path';

/** In the names of folders that are not complete backups. */
export const PARTIAL_MARK = '.partial-';

/** The folder that a process writes before it becomes the backup. It is beside it, because a rename needs one file system. */
export const partialFolder = (folder: string, pid: number): string =>
  `${resolve(folder)}${PARTIAL_MARK}${pid}`;
