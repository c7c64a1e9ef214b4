import { actBeforeBack, actHere, freeEmails } from '../support/life/acts-here.ts';
import { ACTS_THERE, addAccount, restoreDump, takeDump } from '../support/life/acts-there.ts';
import {
  collisionsIn,
  differencesAfterBack,
  differencesAfterSync,
  stateOf,
} from '../support/life/agreement.ts';
import {
  killAmongWrites,
  runBack,
  runImport,
  runSync,
  runVerify,
  someKill,
} from '../support/life/commands.ts';
import type { LifeHere } from '../support/life/life-here.ts';
import { Random } from '../support/life/random.ts';
import { openWorld, type World } from '../support/life/world.ts';

/** `LIVES=20000 SEED=1000` plays as many from this seed on. Without, the same 80 each time: a failure is due to a change. */
const LIVES = Number(process.env.LIVES ?? 80);
const FIRST_SEED = Number(process.env.SEED ?? 1);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.stop());

/** Everything that has happened in a life, for the message of a failure. */
type Story = string[];

async function begin(seed: number): Promise<LifeHere> {
  await world.reset();
  return {
    world,
    random: new Random(seed),
    secrets: new Map(),
    deleted: [],
    dump: {},
    passwords: new Map(),
    emails: new Set(),
    proofs: new Map(),
    disabled: new Set(),
    statuses: new Map(),
    documents: new Map(),
    ended: new Set(),
    issued: [],
    reviewer: undefined,
  };
}

/** A `sync` is killed while it takes changes, and these are undone there before the next one. */
async function interruptedSync(life: LifeHere): Promise<Story> {
  const story: Story = [];
  for (let count = 2; count > 0; count -= 1) {
    const [name = '', act] = life.random.pick(Object.entries(ACTS_THERE)) ?? [];
    await act?.(life);
    story.push(`there: ${name}`);
  }
  const kill = killAmongWrites(life.random);
  if ((await runSync(world, kill)) !== 'killed') {
    await takeDump(life);
    return [...story, 'sync'];
  }
  await restoreDump(life);
  return [...story, `sync, killed after ${kill}`, 'there: restore a dump'];
}

/** Some acts there and here, and commands between them, some of which are killed. */
async function live(life: LifeHere, story: Story): Promise<void> {
  const { random } = life;
  for (let count = 3 + random.below(4); count > 0; count -= 1) {
    await addAccount(life);
  }
  for (let kill = someKill(random); (await runImport(world, kill)) === 'killed'; kill = undefined) {
    story.push(`import, killed after ${kill}`);
    await ACTS_THERE['delete a row']?.(life);
  }
  story.push('import');
  await takeDump(life);
  for (let count = 5 + random.below(10); count > 0; count -= 1) {
    if (random.percent(15)) {
      story.push(...(await interruptedSync(life)));
    } else if (random.percent(20)) {
      const kill = someKill(random);
      const result = await runSync(world, kill);
      story.push(result === 'killed' ? `sync, killed after ${kill}` : 'sync');
      if (result !== 'killed') {
        await takeDump(life);
      } else if (random.percent(60)) {
        await restoreDump(life);
        story.push('there: restore a dump');
      }
    } else if (random.percent(60)) {
      const [name = '', act] = random.pick(Object.entries(ACTS_THERE)) ?? [];
      await act?.(life);
      story.push(`there: ${name}`);
    } else {
      story.push(`here: ${await actHere(life)}`);
    }
  }
}

const isNothing = (changes: object): boolean =>
  Object.values(changes).every((counts: object) => Object.values(counts).every((count) => count === 0));

async function checkSync(life: LifeHere, story: Story): Promise<string[]> {
  await runSync(world);
  let state = await stateOf(life);
  for (let keys = collisionsIn(life, state); keys.length > 0; ) {
    story.push(`${keys.length} e-mails belong to others here`);
    const { accounts } = await runVerify(world);
    if (accounts.waiting + accounts.different === 0) {
      return [`verify is silent, although ${keys} belong to others`];
    }
    await freeEmails(life, keys);
    await runSync(world);
    state = await stateOf(life);
    keys = collisionsIn(life, state);
  }
  const wrong = differencesAfterSync(life, state);
  const again = await runSync(world);
  const verified = await runVerify(world);
  const different = world.found.filter(({ outcome }) => outcome !== 'kept');
  const { accounts, profiles, tokens, files } = verified;
  const isSilent =
    [accounts, profiles, tokens, files].every(({ different: count }) => count === 0) &&
    accounts.waiting === 0;
  return [
    ...wrong,
    ...(again !== 'killed' && isNothing(again) ? [] : [`a second sync: ${JSON.stringify(again)}`]),
    ...(isSilent ? [] : [`verify: ${JSON.stringify(different)}`]),
  ];
}

async function checkBack(life: LifeHere, story: Story): Promise<string[]> {
  const { random } = life;
  for (let count = random.below(6); count > 0; count -= 1) {
    story.push(`here: ${await actBeforeBack(life)}`);
  }
  const before = await stateOf(life);
  for (let kill = someKill(random); (await runBack(world, kill)) === 'killed'; kill = undefined) {
    story.push(`back, killed after ${kill}`);
  }
  const wrong = differencesAfterBack(life, before, await stateOf(life));
  const again = await runBack(world);
  const isDone = again !== 'killed' && isNothing(again.written);
  const synced = await runSync(world);
  const isSynced = synced !== 'killed' && isNothing(synced);
  return [
    ...wrong.map((text) => `after back: ${text}`),
    ...(isDone ? [] : [`a second back: ${JSON.stringify(again)}`]),
    ...(isSynced ? [] : [`a sync after back: ${JSON.stringify(synced)}`]),
  ];
}

test(
  'whatever happens there and here, and wherever commands are killed, both sides agree in the end',
  async () => {
    const began = performance.now();
    let lives = 0;
    for (; lives < LIVES; lives += 1) {
      const seed = FIRST_SEED + lives;
      const story: Story = [];
      const life = await begin(seed);
      const play = async () => {
        await live(life, story);
        return [...(await checkSync(life, story)), ...(await checkBack(life, story))];
      };
      const wrong = await play().catch((error: Error) => [error.stack ?? String(error)]);
      if (wrong.length > 0) {
        throw new Error(`SEED=${seed} LIVES=1\n${[...story, ...wrong].join('\n')}`);
      }
    }
    const seconds = Math.round((performance.now() - began) / 1000);
    process.stdout.write(`${lives} lives in ${seconds} s, from SEED=${FIRST_SEED} on\n`);
  },
  24 * 3_600_000,
);
