// Longer than most: half of it says what each fault is.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { BSON } from 'mongodb';
import type { Config } from '../../src/config/config.ts';
import type { Clock } from '../../src/system/clock.ts';
import {
  type Command,
  changeReply,
  commandOf,
  garbled,
  isOperation,
  type Match,
} from './database-messages.ts';
import {
  byteByByte,
  drop,
  HeldMessages,
  join,
  type Line,
  type Mode,
  ownEndsNoticed,
  PASSING,
} from './database-traffic.ts';
import { listenOnFreePort } from './listen.ts';
import { createTestApp, type TestApp } from './test-app.ts';

/** A moment in the traffic: before a command reaches the database, or after the database has answered it. */
export interface Moment {
  command: Match;
  when: 'before' | 'after';
  /** How many matching commands pass before that; none by default. */
  skip?: number;
}

export type Fault =
  /** Passes the reply, and nothing else: the test knows the moment. Only `after`. */
  | 'pass'
  /** Closes the connection of the command. */
  | 'cut'
  /** Closes every connection and refuses new ones. */
  | 'cut all'
  /** Lets nothing through any more, on any connection. */
  | 'swallow'
  /** Passes half of the reply, then closes every connection and refuses new ones. Only `after`. */
  | 'cut reply'
  /** Passes a reply whose document cannot be parsed. Only `after`. */
  | 'garble reply'
  /** Lets nothing through on this connection, and no deletes on any: what was begun cannot be undone. */
  | 'freeze';

/** Commands that the proxy keeps back. */
interface HeldCommands {
  /** Resolves when so many have arrived. */
  arrived(count: number): Promise<void>;
  /** Sends them on. From now on everything passes, unless another mode was set meanwhile. */
  release(): void;
}

/**
 * Stands between a gateway and its database. A mode holds until the next one. The promise of a mode that closes connections
 * resolves when a gateway in this process has noticed it.
 */
export interface DatabaseProxy {
  /** How many connections the gateway has, including those on which nothing passes. */
  readonly connections: number;
  /** Returns a connection string that leads through the proxy. */
  through(uri: string): string;
  /** Everything passes, on new connections. Closes those that are open: their clients may wait for swallowed replies. */
  restore(): Promise<void>;
  /** Everything passes, on new connections. Those that are open stay open and silent, as after a lost network. */
  restoreForNew(): void;
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections, but lets nothing through in either direction, as a lost network does. */
  swallow(): void;
  /** Closes every connection. New ones are accepted, but nothing ever comes. */
  leaveHalfOpen(): Promise<void>;
  /** Drops these commands and passes all others. By default drops operations, as a stalled disk does. */
  stall(commands?: Match): void;
  /** Passes each answer so many milliseconds late, also those to other requests on the same connection. Requests pass at once. */
  delay(millis: number): void;
  /** Passes replies byte by byte. */
  trickle(millisPerByte: number): void;
  /** Changes replies. */
  changeReplies(change: (reply: BSON.Document) => BSON.Document): void;
  /** Keeps these commands back until they are released. */
  hold(commands: Match): HeldCommands;
  /** Makes a fault happen once, at the next such moment. Resolves when it has happened. */
  breakAt(moment: Moment, fault: Fault): Promise<void>;
  stop(): Promise<void>;
}

/** A connection, and the fault that happens at its next reply. */
interface FaultyLine extends Line {
  atReply?: Plan | undefined;
}

interface Plan extends Moment {
  fault: Fault;
  left: number;
  happened: () => void;
}

/**
 * Starts a proxy.
 * @param uri of the database server; by default that of this run
 */
export async function startDatabaseProxy(uri = process.env.TEST_DATABASE_URI ?? ''): Promise<DatabaseProxy> {
  const [, host = '', port = '27017'] = /^mongodb:\/\/(?:[^@/]*@)?([^:/,?]+)(?::(\d+))?/.exec(uri) ?? [];
  const lines = new Set<FaultyLine>();
  const plans = new Set<Plan>();
  let mode = PASSING;
  let isRefusing = false;
  let areDeletesDropped = false;

  const setMode = (next: Partial<Mode>) => {
    mode = { ...PASSING, ...next };
    isRefusing = false;
  };
  const disconnect = () => {
    for (const { client } of lines) {
      client.destroy();
    }
  };
  const cut = () => {
    isRefusing = true;
    disconnect();
  };
  const restore = () => {
    setMode(PASSING);
    areDeletesDropped = false;
    plans.clear();
  };

  const planFor = (command: Command): Plan | undefined => {
    for (const plan of plans) {
      if (!plan.command(command)) {
        continue;
      }
      plan.left -= 1;
      if (plan.left >= 0) {
        continue;
      }
      plans.delete(plan);
      if (plan.fault === 'freeze') {
        areDeletesDropped = true;
      }
      return plan;
    }
    return undefined;
  };
  const breakLine = ({ fault, happened }: Plan, line: FaultyLine, reply: Buffer) => {
    if (fault === 'cut') {
      line.client.destroy();
    }
    if (fault === 'cut all') {
      cut();
    }
    if (fault === 'swallow') {
      setMode({ command: drop, reply: drop });
    }
    if (fault === 'freeze') {
      line.isSilent = true;
    }
    if (fault === 'cut reply') {
      isRefusing = true;
      line.client.end(reply.subarray(0, reply.length / 2), disconnect);
    }
    if (fault === 'garble reply') {
      line.client.write(garbled(reply));
    }
    happened();
  };

  const onCommand = (bytes: Buffer, line: FaultyLine) => {
    if (line.isSilent) {
      return;
    }
    const command = commandOf(bytes);
    if (areDeletesDropped && command.name.startsWith('delete ')) {
      return;
    }
    const plan = planFor(command);
    if (plan?.when === 'before') {
      return breakLine(plan, line, Buffer.alloc(0));
    }
    line.atReply = plan;
    mode.command(bytes, line);
  };
  const onReply = (bytes: Buffer, line: FaultyLine) => {
    if (line.isSilent) {
      return;
    }
    const { atReply } = line;
    if (atReply && atReply.fault !== 'pass') {
      return breakLine(atReply, line, bytes);
    }
    mode.reply(bytes, line);
    line.atReply = undefined;
    atReply?.happened();
  };

  const listener = createServer((client) => {
    if (isRefusing) {
      return void client.destroy();
    }
    const server = reach({ host, port: Number(port) }, uri);
    const line: FaultyLine = { client, server, isSilent: false };
    lines.add(line);
    client.once('close', () => lines.delete(line));
    join(client, server, (message) => onCommand(message, line));
    join(server, client, (message) => onReply(message, line));
  });
  const ownPort = await listenOnFreePort(listener);

  return {
    get connections() {
      return lines.size;
    },
    through: (original) => throughPort(original, ownPort),
    restore: () => {
      restore();
      disconnect();
      return ownEndsNoticed();
    },
    restoreForNew: () => {
      restore();
      for (const line of lines) {
        line.isSilent = true;
      }
    },
    cut: () => {
      cut();
      return ownEndsNoticed();
    },
    swallow: () => setMode({ command: drop, reply: drop }),
    leaveHalfOpen: () => {
      setMode({ command: drop, reply: drop });
      disconnect();
      return ownEndsNoticed();
    },
    stall: (commands = isOperation) =>
      setMode({
        command: (message, line) => commands(commandOf(message)) || PASSING.command(message, line),
      }),
    delay: (millis) =>
      setMode({ reply: (message, line) => void setTimeout(() => PASSING.reply(message, line), millis) }),
    trickle: (millisPerByte) => setMode({ reply: byteByByte(millisPerByte) }),
    changeReplies: (change) =>
      setMode({ reply: (message, line) => PASSING.reply(changeReply(message, change), line) }),
    hold: (commands) => {
      const held = new HeldMessages(commands);
      setMode({ command: held.forward });
      const holding = mode;
      return {
        arrived: (count) => held.arrived(count),
        release: () => {
          if (mode === holding) {
            setMode(PASSING);
          }
          held.release();
        },
      };
    },
    breakAt: (moment, fault) =>
      new Promise((happened) => plans.add({ ...moment, fault, left: moment.skip ?? 0, happened })),
    stop: async () => {
      listener.close();
      disconnect();
      await once(listener, 'close');
    },
  };
}

/** Connects to the server of a connection string, with TLS if it says so: the proxy reads along. */
function reach(address: { host: string; port: number }, uri: string): Socket {
  const query = new URLSearchParams(uri.split('?')[1]);
  const ca = query.get('tlsCAFile');
  return query.get('tls') === 'true'
    ? connectSecurely({ ...address, ...(ca !== null && { ca: readFileSync(ca) }) })
    : connect(address);
}

function throughPort(uri: string, port: number): string {
  // The proxy itself has no TLS.
  const proxied = uri
    .replace(/^(mongodb:\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${port}`)
    .replace(/(?<=[?&])tls(?:CAFile)?=[^&]*(?:&|$)/g, '')
    .replace(/[?&]$/, '');
  // A replica set would name the addresses of its members.
  if (proxied.includes('directConnection=')) {
    return proxied;
  }
  return `${proxied}${proxied.includes('?') ? '&' : '?'}directConnection=true`;
}

/**
 * A test app that reaches its database through a proxy, for all tests of the file or block.
 * @param time as `REAL_TIME`, which has the time limits of production
 */
export function useProxiedApp(
  settings: Record<string, string> = {},
  ...time: [changes?: Partial<Config>, clock?: Clock]
): { app: TestApp; proxy: DatabaseProxy } {
  const used = {} as { app: TestApp; proxy: DatabaseProxy };
  beforeAll(async () => {
    used.proxy = await startDatabaseProxy();
    used.app = await createTestApp(settings, used.proxy.through, ...time);
  });
  afterAll(async () => {
    await used.proxy.restore();
    await used.app.stop();
    await used.proxy.stop();
  });
  return used;
}
