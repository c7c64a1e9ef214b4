import { readCommandLine } from '../../src/cli/command-line.ts';
import { LEGACY } from '../../src/legacy/commands/group.ts';
import { KeySet } from '../../src/legacy/import/key-set.ts';
import { storeInOrder } from '../../src/legacy/import/pipeline.ts';

const never = new AbortController().signal;

async function* counting(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number += 1) {
    yield number;
  }
}

test('a set of keys knows exactly the texts that were added', () => {
  const set = new KeySet();
  const texts = Array.from({ length: 5_000 }, (_, number) => `person.${number}@example.org`);
  expect(texts.filter((text) => !set.add(text))).toEqual([]);
  expect(set.size).toBe(texts.length);
  expect(texts.filter((text) => set.add(text) || !set.has(text))).toEqual([]);
  expect(texts.filter((text) => set.has(text.toUpperCase()) || set.has(`${text}1`))).toEqual([]);
});

test('two items are stored at a time, and each is committed after those before it', async () => {
  const events: string[] = [];
  const release: (() => void)[] = [];
  const store = (item: number) => {
    events.push(`store ${item}`);
    return new Promise<void>((resolve) => {
      release[item] = resolve;
    });
  };
  const commit = async (item: number) => void events.push(`commit ${item}`);
  const done = storeInOrder(counting(3), { store, commit }, never);
  await new Promise(setImmediate);
  expect(events).toEqual(['store 0', 'store 1']);
  release[1]?.();
  await new Promise(setImmediate);
  expect(events).toEqual(['store 0', 'store 1']);
  release[0]?.();
  await new Promise(setImmediate);
  expect(events).toEqual(['store 0', 'store 1', 'commit 0', 'commit 1', 'store 2']);
  release[2]?.();
  await done;
  expect(events.at(-1)).toBe('commit 2');
});

test('nothing is committed after a failure', async () => {
  const committed: number[] = [];
  const store = async (item: number) => {
    if (item === 1) {
      throw new Error('refused');
    }
  };
  const commit = async (item: number) => void committed.push(item);
  await expect(storeInOrder(counting(5), { store, commit }, never)).rejects.toThrow('refused');
  expect(committed).toEqual([0]);
});

test.each([
  [['import', '--from', 'mysql://user:secret@host'], '--from must be an address such as'],
  [['inspect', '--yes'], 'This command has no option --yes.'],
  [['sync', '--without-second-factors'], 'This command has no option --without-second-factors.'],
  [['import', 'twice'], 'There are too many words.'],
])('%j is no command line', async (words, text) => {
  await expect(readCommandLine(LEGACY, words)).rejects.toThrow(text);
  await expect(readCommandLine(LEGACY, words)).rejects.not.toThrow('secret@');
});
