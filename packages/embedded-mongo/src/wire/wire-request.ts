import type { Document } from 'bson';

/** One message of a client. */
export interface WireRequest {
  requestId: number;
  /** The documents of an insert stay raw, so that they are stored byte for byte. */
  command: Document;
  /** The handshake of older drivers: OP_QUERY, which wants an OP_REPLY. */
  legacy: boolean;
  /** The client does not wait for an answer (write concern w: 0). */
  moreToCome: boolean;
}
