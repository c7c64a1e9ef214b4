import { copyFile, cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ROOT, runIn } from '../../support/consumer.ts';

/** What a container of the image starts. */
export interface Image {
  /** Holds what the image has in its working directory. */
  folder: string;
  env: Record<string, string>;
  /** The program that starts the command, with its words. */
  entrypoint: string[];
  command: string[];
  labels: Record<string, string>;
}

/** The state of a build. */
interface Build {
  image: Image;
  /** The folders of the stages, by name. */
  stages: Map<string, string>;
  into: string;
  /** True for a path of this repository that .dockerignore lets through. */
  isInContext(relativePath: string): boolean;
}

/** Follows the Dockerfile without containers: each stage is a folder, and its working directory is all that there is. */
export async function buildImage(into: string): Promise<Image> {
  const image: Image = { folder: '', env: {}, entrypoint: [], command: [], labels: {} };
  const build = { image, stages: new Map(), into, isInContext: await readIgnoreRules() };
  const text = await readFile(path.join(ROOT, 'Dockerfile'), 'utf8');
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    const [instruction = '', ...words] = line.trim().split(/\s+/);
    await INSTRUCTIONS[instruction]?.(build, words);
  }
  return image;
}

/** What the instructions do that matter to the gateway. */
const INSTRUCTIONS: Record<string, (build: Build, words: string[]) => unknown> = {
  async FROM({ image, stages, into }, words) {
    image.folder = path.join(into, `stage-${stages.size}`);
    await mkdir(image.folder);
    stages.set(words.at(-1) ?? '', image.folder);
  },
  ENV({ image }, words) {
    Object.assign(image.env, Object.fromEntries(words.map((word) => word.split('='))));
  },
  async COPY(build, words) {
    const target = words.at(-1) ?? '';
    const stage = /^--from=(.+)/.exec(words[0] ?? '')?.[1];
    for (const source of words.slice(stage ? 1 : 0, -1)) {
      if (stage) {
        await moveFromStage(build, stage, source, target);
      } else {
        await copyFromContext(build, source, target);
      }
    }
  },
  async RUN({ image }, words) {
    const command = words.join(' ');
    // The last stage installs a program, and makes a folder for a user that this machine may not have.
    if (command.includes('chown') || command.includes('apt-get')) {
      return;
    }
    if (command.startsWith('npm ci')) {
      await linkPackages(image.folder);
    } else {
      await runIn(image.folder, 'sh', '-c', command);
    }
  },
  LABEL({ image }, words) {
    const pairs = words.join(' ').matchAll(/(\S+)="(.*?)"/g);
    Object.assign(image.labels, Object.fromEntries([...pairs].map(([, name, text]) => [name, text])));
  },
  ENTRYPOINT({ image }, words) {
    image.entrypoint = JSON.parse(words.join(' '));
  },
  CMD({ image }, words) {
    image.command = JSON.parse(words.join(' '));
  },
};

/** Moves instead of copying: nothing is copied from a stage twice. */
async function moveFromStage(
  { image, stages }: Build,
  stage: string,
  source: string,
  target: string,
): Promise<void> {
  const place = path.join(image.folder, target);
  await mkdir(path.dirname(place), { recursive: true });
  await rename(path.join(stages.get(stage) ?? '', source.replace('/app/', '')), place);
}

/** A target that ends in a slash is a folder to put the source in. */
async function copyFromContext({ image, isInContext }: Build, source: string, target: string): Promise<void> {
  if (!isInContext(source)) {
    throw new Error(`.dockerignore leaves out ${source}, which the Dockerfile copies`);
  }
  const place = target.endsWith('/') ? path.join(target, path.basename(source)) : target;
  await cp(path.join(ROOT, source), path.join(image.folder, place), {
    recursive: true,
    filter: (file) => isInContext(path.relative(ROOT, file)),
  });
}

/** Links the packages of this repository, which "npm ci" has installed from the same lock file, instead of doing it again. */
async function linkPackages(folder: string): Promise<void> {
  const packages = path.join(ROOT, 'node_modules');
  const list = 'node_modules/.package-lock.json';
  await runIn(folder, 'sh', '-c', `cp -al ${packages} . 2> /dev/null || cp -a ${packages}/. node_modules/`);
  // npm writes this file in its place: it must not be the same one.
  await rm(path.join(folder, list));
  await copyFile(path.join(ROOT, list), path.join(folder, list));
}

/** Reads .dockerignore: the last rule that matches a path, or a folder above it, decides. */
async function readIgnoreRules(): Promise<(relativePath: string) => boolean> {
  const text = await readFile(path.join(ROOT, '.dockerignore'), 'utf8');
  const rules = text
    .trim()
    .split('\n')
    .map((line) => ({
      isIncluded: line.startsWith('!'),
      pattern: new RegExp(`^${line.replace('!', '').replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`),
    }));
  return (relativePath) => rules.findLast(({ pattern }) => pattern.test(relativePath))?.isIncluded ?? true;
}
