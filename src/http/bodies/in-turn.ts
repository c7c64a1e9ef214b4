import type { RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** More than any client has under way on one connection; browsers do not pipeline at all. */
const MAX_WAITING = 32;

/** The requests on one connection. */
interface Turn {
  /** The answer that is being made or sent. */
  current: ServerResponse;
  /** That of the last request so far, which may be waiting. */
  last: ServerResponse;
  waiting: number;
}

export interface InTurn {
  handle: RequestListener;
  /** The answer that is being made or sent on a connection, or was last. */
  answerOn(socket: Duplex): ServerResponse | undefined;
}

/**
 * Handles pipelined requests of one connection one after another, in the order in which they must be answered (RFC 9112
 * section 9.3.2).
 *
 * Node begins them all at once, and when the connection closes, only the answer whose turn it is gets to know: what is
 * held for the others, such as open files and uploads in quarantine, would be held for ever. For the same reason none is
 * begun after an answer that closes the connection (section 9.6), even while the rest of its request is dropped. A
 * connection with too many waiting requests is cut.
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
