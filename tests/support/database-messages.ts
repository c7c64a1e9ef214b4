import { BSON } from 'mongodb';
import type * as Wire from '../../packages/embedded-mongo/src/wire/wire.ts';

// The engine's own parser, as `npm test` has just built it.
const built = new URL('../../packages/embedded-mongo/dist/wire/wire.js', import.meta.url);
const { MessageReader, parseMessage } = (await import(built.href)) as typeof Wire;

export { MessageReader };

/** A command on its way to the database: https://www.mongodb.com/docs/manual/reference/command/ */
export interface Command {
  /** The name of the command and its collection, such as `insert accounts`. */
  name: string;
  /** The whole message. */
  bytes: Buffer;
}

/** True for the commands that a rule is about. */
export type Match = (command: Command) => boolean;

/** Reads the name of a command. A message of another kind has an empty name. */
export function commandOf(bytes: Buffer): Command {
  try {
    const [[name, collection] = []] = Object.entries(parseMessage(bytes).command);
    return { name: `${name} ${collection}`, bytes };
  } catch {
    return { name: '', bytes };
  }
}

/** Matches one command on one collection, such as `insert accounts`. */
export const named =
  (name: string): Match =>
  (command) =>
    command.name === name;

/** Operations have a session. The checks of the driver have none. */
export const isOperation: Match = ({ bytes }) => bytes.includes('lsid');

export const isOfAuditTrail: Match = ({ name }) => name.endsWith(' audit_events');

/** Operations that an answer waits for. The audit trail and the last uses of tokens are written behind the answers. */
export const isOfRequest: Match = (command) =>
  isOperation(command) && !isOfAuditTrail(command) && !command.bytes.includes('$max');

const OP_MSG = 2013;
/** Message length, request id, id of the request that it answers, opcode, flags, kind of the only section. */
const HEAD_BYTES = 21;
/** The answer to the first message of a connection. It has flags, a cursor and two numbers before its document. */
const OP_REPLY = 1;
const REPLY_HEAD_BYTES = 36;

/**
 * Changes the document of a reply: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/#op_msg
 * @param change gets the document; if it returns the same one, the message is not changed
 */
export function changeReply(message: Buffer, change: (reply: BSON.Document) => BSON.Document): Buffer {
  const opcode = message.readInt32LE(12);
  if (opcode !== OP_MSG && opcode !== OP_REPLY) {
    return message;
  }
  const headBytes = opcode === OP_MSG ? HEAD_BYTES : REPLY_HEAD_BYTES;
  const reply = BSON.deserialize(message.subarray(headBytes));
  const changed = change(reply);
  if (changed === reply) {
    return message;
  }
  const head = Buffer.from(message.subarray(0, headBytes));
  const body = BSON.serialize(changed);
  head.writeInt32LE(headBytes + body.length, 0);
  return Buffer.concat([head, body]);
}

/** A reply of the same length whose document has no end of a name. */
export function garbled(message: Buffer): Buffer {
  return Buffer.concat([
    message.subarray(0, HEAD_BYTES + 4),
    Buffer.alloc(message.length - HEAD_BYTES - 4, 0xff),
  ]);
}
