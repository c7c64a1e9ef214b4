import { readFile } from 'node:fs/promises';

/**
 * Returns the first block of code under a heading of a README.
 * @param language the language that the block declares
 * @param file the README, from the root of the repository
 */
export async function codeUnder(heading: string, language: string, file = 'README.md'): Promise<string> {
  const readme = await textOf(file);
  const [, section = ''] = readme.split(new RegExp(`\\n##+ ${heading}\\n`));
  const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
  if (code === undefined) {
    throw new Error(`${file} has no ${language} under "${heading}"`);
  }
  return code;
}

/**
 * Returns the files between a heading of a document and the next heading, by path: the blocks of code whose first line is a
 * comment with a path.
 * @param file the document, from the root of the repository
 */
export async function filesUnder(heading: string, file: string): Promise<Map<string, string>> {
  const section = await sectionOf(heading, file);
  const blocks = section.matchAll(/```\w+\n(?:\/\/|<!--|<\?php \/\/) (\S+\.\w+)(?: -->)?\n([\s\S]*?)```/g);
  const files = new Map([...blocks].map(([, path = '', code = '']) => [path, code]));
  if (files.size === 0) {
    throw new Error(`${file} has no file under "${heading}"`);
  }
  return files;
}

/** Returns the text between a heading of a document and the next heading. */
export async function sectionOf(heading: string, file: string): Promise<string> {
  const [, following] = (await textOf(file)).split(new RegExp(`\\n##+ ${heading}\\n`));
  const [section] = following?.split(/\n##+ /) ?? [];
  if (section === undefined) {
    throw new Error(`${file} has no heading "${heading}"`);
  }
  return section;
}

/** Returns all blocks of shell commands of a document that call a gateway, in their order. Their variables are shared. */
export async function toursOf(file: string): Promise<string[]> {
  const text = await textOf(file);
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
  return blocks.filter((code) => code.includes('BASE'));
}

const textOf = (file: string): Promise<string> => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
