import { type BSON, ObjectId } from 'mongodb';
import type { DatabaseProxy } from '../../support/database-proxy.ts';

/** How a member of a replica set sees itself. */
export interface MemberView {
  isPrimary: boolean;
  /** False: it has not heard from the majority, but has not stepped down yet. */
  hasMajority: boolean;
  /** The error code of a server that knows no linearizable reads; by default it knows them. */
  refusal?: number;
}

const SET = 'stand-in';
const ELECTION = { setVersion: 1, electionId: new ObjectId() };
const MAX_TIME_MS_EXPIRED = 50;
/** What a lone server, such as the engine, answers to a linearizable read. */
const NOT_A_REPLICA_SET = 123;

/**
 * Makes a lone engine behind a proxy look like the only member of a replica set: `hello`, and the linearizable reads that a
 * majority confirms. The view may change at any time.
 * @returns the connection string for a database of the engine. The driver takes the address from `hello`, as with a real set
 */
export function standInMember(proxy: DatabaseProxy, uri: string, view: MemberView): string {
  const direct = new URL(proxy.through(uri));
  proxy.changeReplies((reply) => {
    if ('maxWireVersion' in reply) {
      return helloOf(reply, direct.host, view);
    }
    return reply.code === NOT_A_REPLICA_SET ? confirmation(view) : reply;
  });
  return `mongodb://${direct.host}${direct.pathname}?replicaSet=${SET}`;
}

function helloOf(lone: BSON.Document, address: string, { isPrimary }: MemberView): BSON.Document {
  const { ismaster, isWritablePrimary, ...rest } = lone;
  return {
    ...rest,
    ...(ismaster === undefined ? { isWritablePrimary: isPrimary } : { ismaster: isPrimary }),
    secondary: !isPrimary,
    setName: SET,
    hosts: [address],
    me: address,
    ...(isPrimary && { primary: address, ...ELECTION }),
  };
}

/** https://www.mongodb.com/docs/manual/reference/read-concern-linearizable/ */
function confirmation({ hasMajority, refusal }: MemberView): BSON.Document {
  if (refusal !== undefined) {
    return { ok: 0, code: refusal, errmsg: 'unknown read concern' };
  }
  return hasMajority
    ? { ok: 1, cursor: { id: 0n, ns: 'auth_gateway.schema', firstBatch: [] } }
    : {
        ok: 0,
        code: MAX_TIME_MS_EXPIRED,
        codeName: 'MaxTimeMSExpired',
        errmsg: 'operation exceeded time limit',
      };
}
