import type { IncomingMessage } from 'node:http';
import { PIECE_LIMITS } from '../request-limits.ts';

/** Smaller pieces are joined. What browsers and proxies send at once, and a TLS record of usual size, is larger. */
const SMALL_BYTES = 4_096;

/** Joined pieces of this size are handed on, even if more follow at once. */
const JOINED_BYTES = 16_384;

/** The first pieces are handed on as they are, so that usual bodies are neither copied nor delayed. */
const FIRST_PIECES = 16;

/**
 * Bounds the pieces in which a body arrives, and joins small ones before anybody reads them. Their sender chooses them: they are
 * the chunks of a chunked body (RFC 9112 section 7.1), or else what the network has brought at once. Node.js alone takes about a
 * microsecond for each, and the pipeline behind it ten times as much.
 *
 * It applies to every body, also to one that nobody reads. Call it before the first piece can come.
 * @param refuse called once, when the pieces are over {@link PIECE_LIMITS}. Nothing more of the request is read
 */
export function boundPieces(req: IncomingMessage, refuse: () => void): void {
  const { headers } = req;
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) {
    return;
  }
  const handOn = req.push.bind(req);
  let creditBytes = PIECE_LIMITS.creditBytes;
  let pieces = 0;
  let joined: Buffer[] = [];
  let joinedBytes = 0;
  const flush = () => {
    const whole = Buffer.concat(joined, joinedBytes);
    joined = [];
    joinedBytes = 0;
    return whole.length === 0 || req.destroyed || handOn(whole);
  };

  // Node calls `push` for each piece. If it returns false, Node stops reading until the request is read.
  req.push = (piece: Buffer | null) => {
    if (piece === null) {
      flush();
      return handOn(null);
    }
    // More than the first credit is not kept: nobody can pay for small pieces in advance.
    creditBytes = Math.min(creditBytes + piece.length, PIECE_LIMITS.creditBytes) - PIECE_LIMITS.costBytes;
    if (creditBytes < 0) {
      // The rest of what has been received is dropped.
      req.push = () => true;
      req._read = () => {};
      refuse();
      return false;
    }
    pieces += 1;
    if (pieces <= FIRST_PIECES || piece.length >= SMALL_BYTES) {
      flush();
      return handOn(piece);
    }
    joined.push(piece);
    joinedBytes += piece.length;
    if (joinedBytes >= JOINED_BYTES) {
      return flush();
    }
    if (joined.length > 1) {
      return true;
    }
    // After everything that has already been received. Until then, nothing more is read, so other connections get their turn.
    setImmediate(flush);
    return false;
  };
}
