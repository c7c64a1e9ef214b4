import type { RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** More than any client sends at once on one connection; browsers do not pipeline at all. */
const MAX_WAITING = 32;

/** The requests on one connection. */
interface Turn {
  /** The answer that is being made or sent. */
  current: ServerResponse;
  /** The answer to the last request so far, which may be waiting. */
  last: ServerResponse;
  waiting: number;
}

export interface InTurn {
  handle: RequestListener;
  /** The answer that is being made or sent on a connection; if there is none, the last one. */
  answerOn(socket: Duplex): ServerResponse | undefined;
}

/**
 * Handles pipelined requests of one connection one after another, in the order in which they must be answered (RFC 9112
 * section 9.3.2).
 *
 * Node begins them all at once. When the connection closes, only the answer whose turn it is gets an event. The others
 * would hold their open files and their uploads in quarantine for ever. For the same reason, no request is begun after an
 * answer that closes the connection (section 9.6), even while the rest of its request is dropped. A connection with too
 * many waiting requests is cut.
 */
export function handleInTurn(handler: RequestListener): InTurn {
  const turns = new WeakMap<Duplex, Turn>();
  const handle: RequestListener = (req, res) => {
    if (!req.socket.writable) {
      return;
    }
    const turn = turns.get(req.socket);
    if (!turn || turn.last.closed) {
      turns.set(req.socket, { current: res, last: res, waiting: 0 });
      return handler(req, res);
    }
    if (turn.waiting >= MAX_WAITING) {
      return void req.socket.destroy();
    }
    turn.waiting += 1;
    turn.last.once('close', () => {
      turn.waiting -= 1;
      if (!req.socket.writable) {
        return;
      }
      turn.current = res;
      handler(req, res);
    });
    turn.last = res;
  };
  return { handle, answerOn: (socket) => turns.get(socket)?.current };
}
