import { constants } from 'node:os';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { EmbeddedMongoLockedError } from '../base/errors.ts';
import { giveToFolderOwner, keepToOwner } from '../base/private-files.ts';
import { demandSound } from './damaged-files.ts';

/** A folder that this process has claimed. */
export interface FolderClaim {
  /** Records the port of the engine. Processes that find the folder locked can connect to it. */
  announce(port: number): void;
  release(): Promise<void>;
}

/**
 * Claims a data folder for this process until `release`, or until the process ends in any way.
 *
 * LMDB keeps a table of the processes that read a file, and holds a kernel lock (fcntl) for each of them. The kernel drops
 * the lock when a process dies. So a small LMDB file tells a live owner from a dead one, even if another process has the
 * dead one's id. A lock file with a process id in it could not.
 *
 * @param path the data folder
 * @throws EmbeddedMongoLockedError naming the folder; an Error if the files of the claim are damaged. They are never made anew: a
 *   live owner would not notice, and there would be two
 */
export function claimFolder(path: string): FolderClaim {
  const folder = join(path, 'owner');
  demandSound(folder, `Delete the folder ${folder} if no program uses the database: it holds nothing else.`);
  const file: RootDatabase<number, string> = open({ path: folder, encoding: 'json', maxReaders: 64 });
  for (const name of ['.', 'data.mdb', 'lock.mdb']) {
    keepToOwner(join(folder, name));
  }
  giveToFolderOwner(path, 'owner');
  giveToFolderOwner(folder, 'data.mdb');
  giveToFolderOwner(folder, 'lock.mdb');
  // An open read transaction keeps this process in the table of readers. The claim holds it, because lmdb itself has only
  // a weak reference to it, and the garbage collector would remove it from the table.
  const presence = file.useReadTransaction();
  try {
    file.get('owner');
    file.transactionSync(() => {
      const owner = file.get('owner');
      if (owner !== undefined && owner !== process.pid && liveReaders(file).includes(owner)) {
        throw new EmbeddedMongoLockedError(path, owner, file.get('port'));
      }
      file.putSync('owner', process.pid);
      file.removeSync('port');
    });
  } catch (error) {
    void file.close();
    // In another container the owner can have the same process id. Then its kernel lock keeps us out of the table.
    const { EACCES, EAGAIN } = constants.errno;
    const isRefused = [EACCES, EAGAIN].includes((error as { code: number }).code);
    throw isRefused ? new EmbeddedMongoLockedError(path) : error;
  }
  return {
    announce: (port) => file.putSync('port', port),
    release: () => {
      presence.done();
      return file.close();
    },
  };
}

/** The ids of the processes that have the file open. Entries of dead processes are removed first. */
function liveReaders(file: RootDatabase<number, string>): number[] {
  file.readerCheck();
  return [...file.readerList().matchAll(/^\s*(\d+) /gm)].map((match) => Number(match[1]));
}
