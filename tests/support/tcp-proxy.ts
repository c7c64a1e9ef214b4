import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { listenOnFreePort } from './listen.ts';
import { createTestApp, type TestApp } from './test-app.ts';

/** What becomes of the operation at which the database is lost. */
export type Loss = 'unasked' | 'unanswered' | 'half answered';

/** A TCP proxy before the database, by which the database goes away without being stopped for other tests. */
export interface TcpProxy {
  /** How many connections the gateway has, those that lead nowhere included. */
  readonly connections: number;
  /** The connection string of a MongoDB, led through the proxy. */
  through(uri: string): string;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /** Goes on accepting, but nothing gets through in either direction: what a lost network looks like. */
  swallow(): void;
  /** Ends every connection; on new ones nothing ever comes. */
  leaveHalfOpen(): void;
  /** Swallows every operation, and lets the driver's checks through: what a stalled disk looks like. */
  stall(): void;
  /** Drops writes to the audit trail, and lets everything else through. */
  stallTrail(): void;
  /** Holds up whatever goes through, in either direction. */
  delay(millis: number): void;
  /** Passes on what the database answers byte by byte. */
  trickle(millisPerByte: number): void;
  /**
   * Lets so many operations through, the driver's own checks not counted, and loses the database at the next.
   * @param loss it never gets to the database; or its answer is swallowed, or cut in the middle
   */
  loseAfter(operations: number, loss: Loss): void;
  /** Works again. */
  restore(): void;
  /** Works again on new connections. Those that there are stay open and silent, as after a lost network. */
  restoreForNew(): void;
  stop(): Promise<void>;
}

/** What becomes of a chunk that is on its way. */
type Forward = (chunk: Buffer, to: Socket, from: Socket) => void;
const pass: Forward = (chunk, to) => void to.write(chunk);
const swallow: Forward = () => {};

/** What becomes of questions and of answers. */
type Behaviour = { ask: Forward; answer: Forward };
const WORKING: Behaviour = { ask: pass, answer: pass };
const SWALLOWING: Behaviour = { ask: swallow, answer: swallow };

const CUT_MILLIS = 20;

/** Starts a proxy before the first host of the run's database. */
export async function startTcpProxy(): Promise<TcpProxy> {
  const [, host = '', port = '27017'] =
    /^mongodb:\/\/(?:[^@/]*@)?([^:/,]+)(?::(\d+))?/.exec(process.env.TEST_DATABASE_URI ?? '') ?? [];
  const clients = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let behaviour: Behaviour | 'refusing' = WORKING;

  const forward = (from: Socket, to: Socket, way: keyof Behaviour) => {
    from.on('data', (chunk) => {
      if (behaviour !== 'refusing' && !silent.has(from)) behaviour[way](chunk, to, from);
    });
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  };
  const server = createServer((client) => {
    if (behaviour === 'refusing') return void client.destroy();
    const database = connect(Number(port), host);
    clients.add(client);
    client.on('close', () => clients.delete(client));
    forward(client, database, 'ask');
    forward(database, client, 'answer');
  });
  const ownPort = await listenOnFreePort(server);

  const disconnect = () => {
    for (const client of clients) client.destroy();
  };
  const refuse = () => {
    behaviour = 'refusing';
    disconnect();
  };
  const swallowAll = () => {
    behaviour = SWALLOWING;
  };
  return {
    get connections() {
      return clients.size;
    },
    through: (uri) => {
      const proxied = uri.replace(/^(mongodb:\/\/(?:[^@/]*@)?)[^/]+/, `$1127.0.0.1:${ownPort}`);
      // A replica set would tell its members' own addresses.
      if (proxied.includes('directConnection=')) return proxied;
      return `${proxied}${proxied.includes('?') ? '&' : '?'}directConnection=true`;
    },
    cut: refuse,
    swallow: swallowAll,
    leaveHalfOpen: () => {
      swallowAll();
      disconnect();
    },
    stall: () => {
      behaviour = { ask: (chunk, to, from) => isOperation(chunk) || pass(chunk, to, from), answer: pass };
    },
    stallTrail: () => {
      behaviour = {
        ask: (chunk, to, from) => chunk.includes('audit_events') || pass(chunk, to, from),
        answer: pass,
      };
    },
    delay: (millis) => {
      const later: Forward = (chunk, to) => void setTimeout(() => to.write(chunk), millis);
      behaviour = { ask: later, answer: later };
    },
    trickle: (millisPerByte) => {
      behaviour = { ask: pass, answer: byteByByte(millisPerByte) };
    },
    loseAfter: (operations, loss) => {
      behaviour = losingAfter(operations, loss, () => {
        swallowAll();
        // Not before the half has gone out.
        if (loss === 'half answered') setTimeout(refuse, CUT_MILLIS);
      });
    },
    restore: () => {
      behaviour = WORKING;
      // Whoever has been waiting for an answer has missed it.
      disconnect();
    },
    restoreForNew: () => {
      behaviour = WORKING;
      for (const client of clients) silent.add(client);
    },
    stop: async () => {
      server.close();
      disconnect();
      await once(server, 'close');
    },
  };
}

/** The bytes of one connection, one after the other. */
function byteByByte(millis: number): Forward {
  const sent = new WeakMap<Socket, Promise<void>>();
  const trickle = async (chunk: Buffer, to: Socket, before: Promise<void> | undefined) => {
    await before;
    for (const byte of chunk) {
      if (to.destroyed) return;
      to.write(Buffer.of(byte));
      await wait(millis);
    }
  };
  return (chunk, to) => sent.set(to, trickle(chunk, to, sent.get(to)));
}

/** Operations have a session; what the driver asks to see whether the server is there has none. */
const isOperation = (chunk: Buffer): boolean => chunk.includes('lsid');

/** What the gateway writes by and by, whatever it is asked: the audit trail, and when tokens were last used. */
const isBehindAnswers = (chunk: Buffer): boolean => chunk.includes('audit_events') || chunk.includes('$max');

/** @param lose begins the loss */
function losingAfter(operations: number, loss: Loss, lose: () => void): Behaviour {
  let left = operations;
  const asking = new WeakMap<Socket, boolean>();
  return {
    ask: (chunk, to, from) => {
      const isOfRequest = isOperation(chunk) && !isBehindAnswers(chunk);
      asking.set(from, isOfRequest);
      if (isOfRequest) left -= 1;
      if (left < 0 && isOfRequest && loss === 'unasked') return lose();
      to.write(chunk);
    },
    answer: (chunk, to) => {
      if (left >= 0 || !asking.get(to)) return void to.write(chunk);
      if (loss === 'half answered') to.write(chunk.subarray(0, chunk.length / 2));
      lose();
    },
  };
}

/** A test app that reaches its database through a proxy, for all tests of the block that this is called in. */
export function useProxiedApp(settings: Record<string, string> = {}): { app: TestApp; proxy: TcpProxy } {
  const used = {} as { app: TestApp; proxy: TcpProxy };
  beforeAll(async () => {
    used.proxy = await startTcpProxy();
    used.app = await createTestApp(settings, used.proxy.through);
  });
  afterAll(async () => {
    used.proxy.restore();
    await used.app.stop();
    await used.proxy.stop();
  });
  return used;
}
