import type { RequestHandler } from 'express';

/** What answers requests below a path, and holds what must be closed. */
export interface Door {
  router: RequestHandler;
  stop(): Promise<void>;
}

/** Time for the first answers of a process that somebody is waiting for. */
const PAUSE_MILLIS = 500;

/**
 * A door that takes long to open, and so is opened some time after the others, or for the first who comes to it, who waits.
 * Meanwhile whoever comes to the others may wait for some tenths of a second as well.
 * @param open is called once at most
 * @param onFailure is told, once, why it cannot be opened: what Node could not load it does not try to load again
 */
export function openLate(open: () => Promise<Door>, onFailure: (error: unknown) => void): Door {
  let opening: Promise<Door> | undefined;
  /** Once it is open: from then on a request is passed on at once, before it can have gone. */
  let door: Door | undefined;
  const ensureOpen = () => {
    if (!opening) {
      opening = open();
      opening.then((opened) => {
        door = opened;
      }, onFailure);
    }
    return opening;
  };
  const timer = setTimeout(ensureOpen, PAUSE_MILLIS);
  return {
    async router(req, res, next) {
      const opened = door ?? (await ensureOpen());
      // Whoever has gone meanwhile has nothing of it, and what waits for the end of the answer would wait for ever.
      if (!res.closed) await opened.router(req, res, next);
    },
    async stop() {
      clearTimeout(timer);
      const opened = await opening?.catch(() => undefined);
      await opened?.stop();
    },
  };
}
