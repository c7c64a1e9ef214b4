import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type BSON, MongoClient } from 'mongodb';
import type { Match } from '../../support/database-messages.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts';
import { freePort } from '../../support/listen.ts';
import { startMongod } from './mongod.mjs';

/*
 * Controls the servers, and knows nothing of what the gateways do.
 *
 * Drivers and members take the addresses of members from the configuration of the set. So it has the ports of proxies: each member
 * is known under its own one. A gateway gets three more proxies of its own, which replace these addresses in `hello` by their own
 * ones. So a gateway can be cut off from a member that the others reach.
 */

const SET = 'tests';
const LOOPBACK = '127.0.0.1';
const QUERY = `replicaSet=${SET}`;
const POLL_MILLIS = 100;
/** The median of an election is 12 s by MongoDB's manual. */
const ELECTION_MILLIS = 60_000;

interface Member {
  folder: string;
  port: number;
  /** The one that the configuration of the set names. */
  proxy: DatabaseProxy;
  address: string;
  process: ChildProcess | undefined;
}

/** The three ports behind which one gateway sees the set. */
export interface GatewaySide {
  uri: string;
  proxies: DatabaseProxy[];
}

const portOf = (proxy: DatabaseProxy) => new URL(proxy.through(`mongodb://${LOOPBACK}/`)).host;
const directUri = (port: number) => `mongodb://${LOOPBACK}:${port}/?directConnection=true`;

/** Three members, each a process with its own data. */
export class ReplicaSet {
  readonly #mongod: string;
  readonly #folder: string;
  readonly #members: Member[];
  readonly #sides: GatewaySide[] = [];

  private constructor(mongod: string, folder: string, members: Member[]) {
    this.#mongod = mongod;
    this.#folder = folder;
    this.#members = members;
  }

  /** @param mongod the program of the members. Resolves when there is a primary */
  static async start(mongod: string): Promise<ReplicaSet> {
    const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-replica-set-'));
    const members: Member[] = [];
    for (let index = 0; index < 3; index += 1) {
      const port = await freePort();
      const proxy = await startDatabaseProxy(directUri(port));
      const own = path.join(folder, String(index));
      await mkdir(own);
      members.push({ folder: own, port, proxy, address: portOf(proxy), process: undefined });
    }
    const set = new ReplicaSet(mongod, folder, members);
    await Promise.all(members.map((_, index) => set.startMember(index)));
    const client = await MongoClient.connect(directUri(members[0]?.port ?? 0));
    const configured = members.map(({ address }, _id) => ({ _id, host: address }));
    await client.db('admin').command({ replSetInitiate: { _id: SET, members: configured } });
    await client.close();
    await set.primary();
    return set;
  }

  /** The connection string for the tests themselves. */
  get uri(): string {
    return `mongodb://${this.#members.map(({ address }) => address).join(',')}/?${QUERY}`;
  }

  /** Opens the ports of one gateway. */
  async openSide(): Promise<GatewaySide> {
    const proxies = await Promise.all(this.#members.map(({ port }) => startDatabaseProxy(directUri(port))));
    const side = { proxies, uri: `mongodb://${proxies.map(portOf).join(',')}/?${QUERY}` };
    this.#sides.push(side);
    this.#replaceAddresses(side);
    return side;
  }

  #replaceAddresses({ proxies }: GatewaySide): void {
    const own = new Map(
      this.#members.map(({ address }, index) => [address, portOf(proxies[index] as DatabaseProxy)]),
    );
    for (const proxy of proxies) {
      proxy.changeReplies((reply) => withAddresses(reply, own));
    }
  }

  /** Waits until a majority has one primary. @returns its number */
  async primary(): Promise<number> {
    const deadline = Date.now() + ELECTION_MILLIS;
    while (Date.now() < deadline) {
      const states = await Promise.all(this.#members.map((member) => this.#stateOf(member)));
      const primary = states.findIndex((state) => state?.isWritablePrimary && state.seesMajority);
      if (primary >= 0) {
        return primary;
      }
      await wait(POLL_MILLIS);
    }
    throw new Error('the replica set has no primary');
  }

  /** @returns undefined if the member does not answer */
  async #stateOf({ port }: Member) {
    const client = new MongoClient(directUri(port), { serverSelectionTimeoutMS: 500, socketTimeoutMS: 1000 });
    try {
      const { isWritablePrimary, me } = await client.db('admin').command({ hello: 1 });
      const { members } = await client.db('admin').command({ replSetGetStatus: 1 });
      const healthy = members.filter(({ health }: { health: number }) => health === 1).length;
      return { isWritablePrimary, me, seesMajority: healthy >= 2 };
    } catch {
      return undefined;
    } finally {
      await client.close();
    }
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (!member) {
      throw new Error(`there is no member ${index}`);
    }
    return member;
  }

  async startMember(index: number): Promise<void> {
    const { port, folder } = this.#member(index);
    // The proxies read what members say to each other.
    const options = ['--replSet', SET, '--networkMessageCompressors', 'disabled'];
    this.#member(index).process = await startMongod({ mongod: this.#mongod, port, folder, options });
  }

  /** Kills a member (`kill -9`), as a lost machine. */
  async kill(index: number): Promise<void> {
    const { process } = this.#member(index);
    process?.kill('SIGKILL');
    if (process && process.exitCode === null && process.signalCode === null) {
      await once(process, 'exit');
    }
  }

  pause(index: number): void {
    this.#member(index).process?.kill('SIGSTOP');
  }

  continue(index: number): void {
    this.#member(index).process?.kill('SIGCONT');
  }

  /** Lets a primary step down. It closes the connection of the command, or does not. */
  async stepDown(index: number): Promise<void> {
    const client = await MongoClient.connect(directUri(this.#member(index).port));
    const stepDown = { replSetStepDown: 30, secondaryCatchUpPeriodSecs: 10 };
    await client
      .db('admin')
      .command(stepDown)
      .catch(() => {});
    await client.close();
  }

  /** Cuts a member off from the others and from all gateways but one. */
  async cutOff(index: number, kept: GatewaySide): Promise<void> {
    const { proxy, address } = this.#member(index);
    await proxy.cut();
    // What it sends itself: its heartbeats name it. A primary fetches nothing.
    const isFromIt: Match = ({ name, bytes }) =>
      name.startsWith('replSetHeartbeat') && bytes.includes(address);
    for (const other of this.#members.filter((_, at) => at !== index)) {
      other.proxy.stall(isFromIt);
    }
    for (const side of this.#sides) {
      const cut = side.proxies.filter((_, at) => (side === kept) !== (at === index));
      await Promise.all(cut.map((each) => each.cut()));
    }
  }

  /** Everybody reaches everybody again. */
  async rejoin(): Promise<void> {
    await Promise.all(this.#members.map(({ proxy }) => proxy.restore()));
    for (const side of this.#sides) {
      await Promise.all(side.proxies.map((proxy) => proxy.restore()));
      this.#replaceAddresses(side);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((_, index) => this.kill(index)));
    const proxies = [
      ...this.#members.map(({ proxy }) => proxy),
      ...this.#sides.flatMap((side) => side.proxies),
    ];
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A `hello` in which a gateway's own ports stand for the members. Every other reply is as it is. */
export function withAddresses(reply: BSON.Document, own: ReadonlyMap<string, string>): BSON.Document {
  if (!('maxWireVersion' in reply) || !('setName' in reply)) {
    return reply;
  }
  const replaced = (address: string) => own.get(address) ?? address;
  const lists = ['hosts', 'passives', 'arbiters'].filter((name) => name in reply);
  const single = ['me', 'primary'].filter((name) => name in reply);
  return {
    ...reply,
    ...Object.fromEntries(lists.map((name) => [name, reply[name].map(replaced)])),
    ...Object.fromEntries(single.map((name) => [name, replaced(reply[name])])),
  };
}
