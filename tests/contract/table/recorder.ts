import type { Document } from 'bson';
import type { Db } from 'mongodb';
import type { HttpResponse } from '../../support/http.ts';
import { commandsEnded, onEachCommand } from '../../support/sent-commands.ts';
import type { Spelling } from './spelling.ts';

type Records = ReadonlyMap<string, Document>;

/** Its records follow an act later, when its event is published. */
const PUBLISHED = 'events';
const TRAIL = 'audit_events';
/** Headers that say nothing about an operation. */
const PASSING_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** Writes down what a request does: its answer, the events of the audit trail, and each record that it changes. */
export class Recorder {
  readonly #written = new Set<string>();
  readonly #events: Document[] = [];
  readonly #stop: () => void;
  #before = new Map<string, Records>();
  /** As read after the last write. */
  readonly #after = new Map<string, Records>();
  #usual: Headers | undefined;

  constructor(
    private readonly db: () => Db,
    private readonly spelling: () => Spelling,
  ) {
    this.#stop = onEachCommand((name, command) => {
      if (['insert', 'update', 'delete', 'findAndModify'].includes(name)) {
        this.#written.add(command[name]);
        this.#after.delete(command[name]);
      }
      if (name === 'insert' && command[name] === TRAIL) {
        this.#events.push(...command.documents);
      }
    });
  }

  stop(): void {
    this.#stop();
  }

  /** Keeps all records as they are, for {@link restore}. @param usual headers that {@link record} does not repeat */
  async keep(usual: Headers): Promise<void> {
    await commandsEnded();
    const collections = await this.db().listCollections({}, { nameOnly: true }).toArray();
    const read = collections.map(async ({ name }) => [name, await this.#read(name)] as const);
    this.#before = new Map(await Promise.all(read));
    this.#usual = usual;
    this.#written.clear();
  }

  /** The headers that {@link record} does not repeat. */
  usualHeaders(): string {
    const headers = [...(this.#usual ?? [])].filter(([name]) => !PASSING_HEADERS.has(name));
    return headers.map(([name, value]) => `${name}: ${this.spelling().text(value)}`).join('\n');
  }

  /** Brings all records back that were changed since {@link keep}. Those about events were only added. */
  async restore(): Promise<void> {
    await commandsEnded();
    for (const name of this.#written) {
      const before: Records = this.#before.get(name) ?? new Map();
      const collection = this.db().collection<Document>(name);
      if (name === TRAIL || name === PUBLISHED) {
        await collection.deleteMany({ _id: { $nin: [...before.values()].map(({ _id }) => _id) } });
        continue;
      }
      const after = this.#after.get(name) ?? (await this.#read(name));
      const added = [...after].filter(([id]) => !before.has(id));
      const changed = [...before].filter(
        ([id, record]) => JSON.stringify(record) !== JSON.stringify(after.get(id)),
      );
      const acts = [
        ...added.map(([, { _id }]) => ({ deleteOne: { filter: { _id } } })),
        ...changed.map(([, record]) => ({
          replaceOne: { filter: { _id: record._id }, replacement: record, upsert: true },
        })),
      ];
      await (acts.length > 0 && collection.bulkWrite(acts));
    }
    this.#written.clear();
    this.#after.clear();
  }

  /** Sends a request, and describes what it has done, a line for each fact. */
  async record(send: () => Promise<HttpResponse>): Promise<string> {
    await commandsEnded();
    this.#events.length = 0;
    // What is made for a request, such as a challenge, is no part of it.
    const earlier = new Map<string, Records>();
    for (const name of this.#writtenRecords()) {
      earlier.set(name, await this.#read(name));
    }
    const answer = await send();
    await commandsEnded();
    const changes: string[] = [];
    for (const name of this.#writtenRecords()) {
      const before = earlier.get(name) ?? this.#before.get(name) ?? new Map();
      const after = await this.#read(name);
      this.#after.set(name, after);
      changes.push(...this.#changesOf(name, before, after));
    }
    return [...this.#describe(answer), ...this.#events.map((event) => this.#event(event)), ...changes].join(
      '\n',
    );
  }

  /** The collections that were written, without those whose records are about events. */
  #writtenRecords(): string[] {
    return [...this.#written].filter((name) => name !== TRAIL && name !== PUBLISHED).sort();
  }

  async #read(name: string): Promise<Records> {
    const records = await this.db().collection(name).find().toArray();
    return new Map(records.map((record) => [String(record._id), record]));
  }

  #describe({ status, headers, text }: HttpResponse): string[] {
    const isUsual = (name: string, value: string) => this.#usual?.get(name) === value;
    const own = [...headers].filter(([name, value]) => !PASSING_HEADERS.has(name) && !isUsual(name, value));
    const missing = [...(this.#usual?.keys() ?? [])].filter((name) => !headers.has(name));
    return [
      `status ${status}`,
      ...own
        .filter(([name]) => name !== 'x-request-id')
        .map(([name, value]) => `header ${name}: ${this.spelling().text(value)}`),
      ...missing.filter((name) => !PASSING_HEADERS.has(name)).map((name) => `no header ${name}`),
      ...(text === '' ? [] : [`body ${this.#bodyOf(headers, text)}`]),
    ];
  }

  #bodyOf(headers: Headers, text: string): string {
    return /json/.test(headers.get('content-type') ?? '')
      ? JSON.stringify(this.spelling().value(JSON.parse(text)))
      : this.spelling().text(text);
  }

  #event({ _id, at, expiresAt, ip, userAgent, requestId, ...event }: Document): string {
    const known = Object.entries(event).filter(([, value]) => value !== null);
    return `event ${JSON.stringify(this.spelling().value(Object.fromEntries(known)))}`;
  }

  #changesOf(name: string, before: Records, after: Records): string[] {
    const spell = (value: unknown, key?: string) => JSON.stringify(this.spelling().value(value, key));
    const changed = [...after].flatMap(([id, record]) => {
      const former = before.get(id);
      if (!former) {
        return [`new in ${name}: ${spell(withoutNotes(record))}`];
      }
      const fields = new Set([...Object.keys(former), ...Object.keys(record)]);
      const different = [...fields].filter(
        (field) => field !== NOTES && JSON.stringify(former[field]) !== JSON.stringify(record[field]),
      );
      return different.map(
        (field) =>
          `in ${name}, ${this.spelling().text(id)}: ${field} ${spell(former[field], field)} -> ${spell(record[field], field)}`,
      );
    });
    const removed = [...before.keys()].filter((id) => !after.has(id));
    return [...changed, ...removed.map((id) => `gone from ${name}: ${this.spelling().text(id)}`)];
  }
}

/** They are removed when the event is stored. */
const NOTES = 'eventNotes';
const withoutNotes = ({ [NOTES]: _, ...record }: Document) => record;
