import type { RequestHandler } from 'express';

/** What answers requests below a path, and holds what must be closed. */
export interface Door {
  router: RequestHandler;
  stop(): Promise<void>;
}

/** Time for the first answers of a process that somebody is waiting for. */
const PAUSE_MILLIS = 500;

/**
 * A door that takes long to open, and so is opened behind the first answers of the others, or for the first who comes to
 * it, who waits. A gateway whose door cannot be opened ends: the rejection is nobody's.
 * @param open is called once at most
 */
export function openLate(open: () => Promise<Door>): Door {
  let opened: Promise<Door> | undefined;
  let door: Door | undefined;
  const ensureOpen = async () => {
    opened ??= open();
    door = await opened;
    return door;
  };
  const timer = setTimeout(ensureOpen, PAUSE_MILLIS);
  return {
    async router(req, res, next) {
      const { router } = door ?? (await ensureOpen());
      return router(req, res, next);
    },
    async stop() {
      clearTimeout(timer);
      const { stop } = (await opened) ?? {};
      await stop?.();
    },
  };
}
