import type { Document } from 'bson';
import type { CommandError } from '../base/errors.ts';

/** One message of a client. */
export interface WireRequest {
  requestId: number;
  /** The documents of an insert stay raw, so that they are stored byte for byte. */
  command: Document;
  /** The handshake of older drivers: OP_QUERY, which wants an OP_REPLY. */
  legacy: boolean;
  /** The refusal of a command that is not decoded: it has too many levels or values. */
  refusal?: CommandError;
  /** The client does not wait for an answer (write concern w: 0). */
  moreToCome: boolean;
}
