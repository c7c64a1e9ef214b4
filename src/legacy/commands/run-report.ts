import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { makePrivateFolder } from '../../system/make-folder.ts';
import { messageOf } from '../../system/system-errors.ts';
import { KeySet } from '../import/key-set.ts';
import type { InvalidRow } from '../legacy-context.ts';

/** How many ids a person sees for each reason. The report has all of them. */
const SHOWN_IDS = 10;

/** Findings with the same kind, outcome and reason. */
export interface FindingGroup extends Omit<InvalidRow, 'id'> {
  count: number;
  /** The first ids. */
  ids: string[];
}

/** Counts findings by kind, outcome and reason. */
export class FindingCounts {
  readonly #groups = new Map<string, FindingGroup>();

  add({ kind, id, outcome, reason }: InvalidRow): void {
    const key = [kind, outcome, reason].join('\n');
    const group = this.#groups.get(key) ?? { kind, outcome, reason, count: 0, ids: [] };
    this.#groups.set(key, group);
    group.count += 1;
    if (group.ids.length < SHOWN_IDS) {
      group.ids.push(id);
    }
  }

  get groups(): FindingGroup[] {
    return [...this.#groups.values()];
  }
}

/** Lines about findings for people. */
export const findingLines = (groups: readonly FindingGroup[]): string[] =>
  groups.map(({ kind, outcome, reason, count, ids }) => {
    const more = count > ids.length ? ', …' : '';
    return `  ${count} ${kind} ${outcome}: ${reason} (${ids.join(', ')}${more})`;
  });

/**
 * The report of a run: a folder that only the user of the gateway can enter, with one line of JSON for each finding. A
 * continuation adds to it, and names no finding twice.
 */
export class RunReport {
  readonly #file: number;

  private constructor(
    readonly folder: string,
    private readonly known: KeySet,
    readonly counts: FindingCounts,
  ) {
    this.#file = openSync(fileOf(folder), 'a', 0o600);
  }

  /**
   * @param reportsDir the folder for the reports of all runs
   * @throws Error for people
   */
  static async open(reportsDir: string, run: string): Promise<RunReport> {
    const folder = path.join(reportsDir, run);
    try {
      await makePrivateFolder(folder);
      const known = new KeySet();
      const counts = new FindingCounts();
      for await (const finding of findingsIn(folder)) {
        known.add(keyOf(finding));
        counts.add(finding);
      }
      return new RunReport(folder, known, counts);
    } catch (error) {
      throw new Error(`The report cannot be written to ${folder} (DATA_DIR): ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** Written at once, before the batch is recorded: a kill loses no finding. */
  found(finding: InvalidRow): void {
    if (this.known.add(keyOf(finding))) {
      this.counts.add(finding);
      writeSync(this.#file, `${JSON.stringify(finding)}\n`);
    }
  }

  /** Writes the summary for people and for programs. */
  async summarize(text: readonly string[], json: object): Promise<void> {
    await writeFile(path.join(this.folder, 'summary.txt'), `${text.join('\n')}\n`, { mode: 0o600 });
    await writeFile(path.join(this.folder, 'summary.json'), `${JSON.stringify(json, undefined, 2)}\n`, {
      mode: 0o600,
    });
  }

  close(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
  }
}

const fileOf = (folder: string): string => path.join(folder, 'report.ndjson');

const keyOf = ({ kind, id, outcome, reason }: InvalidRow): string => [kind, id, outcome, reason].join('\n');

/** The findings of the run so far. A kill may have left half a line at the end, which is removed. */
async function* findingsIn(folder: string): AsyncGenerator<InvalidRow> {
  const file = fileOf(folder);
  if (!existsSync(file)) {
    return;
  }
  await removeHalfLine(file);
  for await (const line of createInterface({ input: createReadStream(file) })) {
    yield JSON.parse(line) as InvalidRow;
  }
}

/** No line is longer. */
const MAX_LINE_BYTES = 4096;

async function removeHalfLine(file: string): Promise<void> {
  const { size } = await stat(file);
  const handle = await open(file, 'r');
  const start = Math.max(0, size - MAX_LINE_BYTES);
  const { buffer, bytesRead } = await handle
    .read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, start)
    .finally(() => handle.close());
  truncateSync(file, start + buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1);
}

/** The summary that an earlier run has left; undefined if there is none. */
export const readSummary = (reportsDir: string, run: string): Promise<string | undefined> =>
  readFile(path.join(reportsDir, run, 'summary.txt'), 'utf8').catch(() => undefined);
